import type { Clock } from '../../lib/clock.ts';
import { type Suspend, suspendNothing } from '../../lib/waiting/suspend.ts';
import { fencedAccount } from './errors.ts';

/** Longer than any fence: a server releases an account, or completes its move, within seven seconds (cells/move/repair.ts). */
const maxFenceMs = 10_000;
const pauseMs = 100;

/** The one write of an account that is retried to find out whether the fence is gone. */
interface Probe {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** Waits while a move hands an account over and therefore refuses its writes for some seconds. */
export class Fences {
  readonly #clock: Pick<Clock, 'elapsed' | 'delay'>;
  readonly #probes = new Map<string, Probe>();

  constructor(clock: Pick<Clock, 'elapsed' | 'delay'>) {
    this.#clock = clock;
  }

  /**
   * Writes the outcome of a request to a processor, and waits while the account is fenced: the account may stay where it is, and
   * an operation without a stored outcome stays leased for minutes. Only one of an account's waiting writes is retried, because
   * each attempt delays the rows that share its batch.
   * @param suspend releases the place of the waiting request
   * @throws the error of `write`: at once if the account has moved, otherwise after ten seconds, or at most twenty for a write
   *   that waits for another
   */
  async past<T>(write: () => Promise<T>, suspend: Suspend = suspendNothing): Promise<T> {
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
