import type { Clock } from '../../lib/clock.ts';

/** How often the directory is looked at, with one cell and with several: nobody waits longer for an account that moved. */
const pollIntervalMs = { alone: 2_000, divided: 250 };
/** How often cells that are new or away are tried. */
const openMs = 2_000;

interface CellWatch {
  readonly clock: Clock;
  readonly isDivided: () => boolean;
  /** Reads what has changed in the directory. */
  readonly look: () => Promise<void>;
  /** Begins to serve cells that are not served yet: as long as one of them is away this takes until it is given up. */
  readonly open: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks at the directory and opens cells, each again and again in a loop of its own: a move counts on every process looking
 * in time, also while another cell is away.
 * @returns stops both; resolves once what is under way has ended
 */
export function watchCells({ clock, isDivided, look, open, onError }: CellWatch): () => Promise<void> {
  const stopping = new AbortController();
  const again = async (intervalMs: () => number, work: () => Promise<void>) => {
    for (;;) {
      await clock.delay(intervalMs(), stopping.signal);
      if (stopping.signal.aborted) return;
      await work().catch(onError);
    }
  };
  const loops = [
    again(() => (isDivided() ? pollIntervalMs.divided : pollIntervalMs.alone), look),
    again(() => openMs, open),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(loops);
  };
}
