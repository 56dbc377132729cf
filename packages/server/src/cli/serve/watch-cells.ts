import type { Clock } from '../../lib/clock.ts';

/** How often the directory is polled, with one cell and with several. Requests for a moved account wait no longer than this. */
const pollIntervalMs = { alone: 2_000, divided: 250 };
/** The interval between attempts to open cells that are new or could not be reached. */
const openMs = 2_000;

interface CellWatch {
  readonly clock: Clock;
  readonly isDivided: () => boolean;
  /** Reads the changes of the directory. */
  readonly look: () => Promise<void>;
  /** Opens cells that are not served yet. If one of them is away, this takes until the attempt times out. */
  readonly open: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Polls the directory and opens cells, in two separate loops: a move requires that every process reads the directory in time,
 * also while another cell is away.
 * @returns a function that stops both loops, and resolves once the work in flight has ended
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
