import type { Clock } from '../../lib/clock.ts';
import { holdsNoPlace, type Suspend } from '../../lib/waiting/suspend.ts';
import { fencedAccount } from './errors.ts';

/** A server gives an account back, or completes its move, within seven seconds (cells/move/repair.ts). */
const maxFenceMs = 10_000;
const pauseMs = 100;

/** The one write of an account that finds out whether its fence is gone. */
interface Probe {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** Accounts whose writes a move refuses for some seconds, while it hands them over. */
export class Fences {
  readonly #clock: Pick<Clock, 'elapsed' | 'delay'>;
  readonly #probes = new Map<string, Probe>();

  constructor(clock: Pick<Clock, 'elapsed' | 'delay'>) {
    this.#clock = clock;
  }

  /**
   * Writes what became of a request to a processor. While the account is fenced this waits, since the account may stay where
   * it is, and an operation whose end is not written is leased for minutes. Of an account's writes that wait, one is
   * tried again: each attempt costs those that share its batch.
   * @param suspend of the request that waits
   * @throws what `write` throws: at once where the account is elsewhere by then, else after ten seconds, or at most twenty for
   *   one that waits for another
   */
  async past<T>(write: () => Promise<T>, suspend: Suspend = holdsNoPlace): Promise<T> {
    const until = this.#clock.elapsed() + maxFenceMs;
    let own: { readonly account: string; readonly probe: Probe } | undefined;
    try {
      for (;;) {
        try {
          return await write();
        } catch (error) {
          const account = fencedAccount(error);
          if (account === undefined || this.#clock.elapsed() >= until) throw error;
          const other = own === undefined ? this.#probes.get(account) : undefined;
          if (other === undefined) own ??= this.#begin(account);
          await suspend(() => other?.ended ?? this.#clock.delay(pauseMs));
        }
      }
    } finally {
      if (own !== undefined) {
        this.#probes.delete(own.account);
        own.probe.end();
      }
    }
  }

  #begin(account: string): { readonly account: string; readonly probe: Probe } {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const probe = { ended, end };
    this.#probes.set(account, probe);
    return { account, probe };
  }
}
