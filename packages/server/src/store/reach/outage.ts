import { describeError, type Logger } from '../../lib/log/log.ts';
import { accountOnItsWay, EarlierTimelineError, isAway, isUnavailable } from './errors.ts';

/** What waited for a connection while the database was away says so only now. */
const graceMs = 5_000;

/** An account that is being moved has one line, unless nothing of it was refused for so long. */
const cooldownMs = 60_000;

/**
 * Knows whether the database is away, from what statements meet, and says so once when that begins and once when it ends,
 * and once that an account is refused while it is moved: every request and every job would say it otherwise.
 */
export class Outage {
  readonly #log: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly #elapsed: () => number;
  #number = 0;
  #isOn = false;
  /** Whether it was there at all: what cannot be reached from the beginning is named by what tried to open it. */
  #wasThere = false;
  #isEarlier = false;
  #since = 0;
  /** When something of an account was last refused because it is being moved. */
  readonly #refusedAt = new Map<string, number>();
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(log: Pick<Logger, 'error' | 'warn' | 'info'>, elapsed: () => number) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /** Before a statement: what `answered` is called with. */
  get number(): number {
    return this.#number;
  }

  failed(error: unknown): void {
    const account = accountOnItsWay(error);
    if (account !== undefined) this.#noteMove(account);
    if (!isAway(error)) return;
    this.#noteEarlier(error);
    if (this.#isOn) return;
    this.#isOn = true;
    this.#number += 1;
    this.#since = this.#elapsed();
    if (this.#wasThere) this.#log.error('the database is away', describeError(error));
  }

  /** Nothing goes on there until somebody has looked, so it has a line of its own. */
  #noteEarlier(error: unknown): void {
    if (!(error instanceof EarlierTimelineError) || this.#isEarlier) return;
    this.#isEarlier = true;
    this.#log.error('a server of an earlier timeline takes writes', describeError(error));
  }

  /** A move is planned, so that nobody has to look: the line says why some requests were answered 503. */
  #noteMove(account: string): void {
    const now = this.#elapsed();
    for (const [other, at] of this.#refusedAt) if (now - at >= cooldownMs) this.#refusedAt.delete(other);
    if (!this.#refusedAt.has(account)) {
      this.#log.info('what an account writes is refused while it is moved', { account });
    }
    this.#refusedAt.set(account, now);
  }

  /** @param number from before the statement: an answer to what was asked earlier says nothing of now */
  answered(number: number): void {
    const wasThere = this.#wasThere;
    this.#wasThere = true;
    if (!this.#isOn || number !== this.#number) return;
    this.#isOn = false;
    this.#isEarlier = false;
    this.#endedAt = this.#elapsed();
    if (wasThere) this.#log.warn('the database is back', { ms: Math.round(this.#endedAt - this.#since) });
  }

  /** Whether an error needs no line of its own, since the database was away or the account is being moved. */
  explains(error: unknown): boolean {
    if (accountOnItsWay(error) !== undefined) return true;
    const isNear = this.#isOn || this.#elapsed() - this.#endedAt < graceMs;
    return isNear && isUnavailable(error);
  }
}
