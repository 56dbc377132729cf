import { describeError, type Logger } from '../../lib/log/log.ts';
import { EarlierTimelineError, isServerGone, isUnavailable, movingAccount } from './errors.ts';

/** How long after an outage calls that waited for a connection during it may still fail. */
const graceMs = 5_000;

/** The refusals of an account that is being moved are logged once, and again only after this long without a refusal. */
const cooldownMs = 60_000;

/**
 * Derives from the outcomes of statements whether the database is away. Logs once when an outage begins and once when it ends,
 * and once per move that the writes of an account are refused. Otherwise every request and every job would log it.
 */
export class Outage {
  readonly #log: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly #elapsed: () => number;
  #number = 0;
  #isOn = false;
  /** Whether the database was ever reached. If it was not, the code that tried to open it reports the failure. */
  #wasThere = false;
  #isEarlier = false;
  #since = 0;
  /** When a write of each account was last refused because the account is being moved. */
  readonly #refusedAt = new Map<string, number>();
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(log: Pick<Logger, 'error' | 'warn' | 'info'>, elapsed: () => number) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /** The number of the current outage. Read it before a statement and pass it to `answered`. */
  get number(): number {
    return this.#number;
  }

  failed(error: unknown): void {
    const account = movingAccount(error);
    if (account !== undefined) this.#noteMove(account);
    if (!isServerGone(error)) return;
    this.#noteEarlier(error);
    if (this.#isOn) return;
    this.#isOn = true;
    this.#number += 1;
    this.#since = this.#elapsed();
    if (this.#wasThere) this.#log.error('the database is away', describeError(error));
  }

  /** Logged separately, because the service stays down until an operator has checked that server. */
  #noteEarlier(error: unknown): void {
    if (!(error instanceof EarlierTimelineError) || this.#isEarlier) return;
    this.#isEarlier = true;
    this.#log.error('a server of an earlier timeline takes writes', describeError(error));
  }

  /** A move is planned, so nobody has to act. The line explains why some requests were answered with 503. */
  #noteMove(account: string): void {
    const now = this.#elapsed();
    for (const [other, at] of this.#refusedAt) if (now - at >= cooldownMs) this.#refusedAt.delete(other);
    if (!this.#refusedAt.has(account)) {
      this.#log.info('what an account writes is refused while it is moved', { account });
    }
    this.#refusedAt.set(account, now);
  }

  /** @param number read before the statement: the answer to a statement from before the outage does not end it */
  answered(number: number): void {
    const wasThere = this.#wasThere;
    this.#wasThere = true;
    if (!this.#isOn || number !== this.#number) return;
    this.#isOn = false;
    this.#isEarlier = false;
    this.#endedAt = this.#elapsed();
    if (wasThere) this.#log.warn('the database is back', { ms: Math.round(this.#endedAt - this.#since) });
  }

  /** Whether an error needs no separate log line, because the database was away or the account is being moved. */
  explains(error: unknown): boolean {
    if (movingAccount(error) !== undefined) return true;
    const isNear = this.#isOn || this.#elapsed() - this.#endedAt < graceMs;
    return isNear && isUnavailable(error);
  }
}
