import { describeError, type Logger } from '../../lib/log/log.ts';
import { EarlierTimelineError, isAway, isUnavailable } from './errors.ts';

/** What waited for a connection while the database was away says so only now. */
const aftermathMs = 5_000;

/**
 * Knows whether the database is away, from what statements meet, and says so once when that begins and once when it ends:
 * every request and every job would say it otherwise.
 */
export class Outage {
  readonly #log: Pick<Logger, 'error' | 'warn'>;
  readonly #elapsed: () => number;
  #number = 0;
  #isOn = false;
  #isEarlier = false;
  #since = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(log: Pick<Logger, 'error' | 'warn'>, elapsed: () => number) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /** Before a statement: what `answered` is called with. */
  get number(): number {
    return this.#number;
  }

  failed(error: unknown): void {
    if (!isAway(error)) return;
    this.#noteEarlier(error);
    if (this.#isOn) return;
    this.#isOn = true;
    this.#number += 1;
    this.#since = this.#elapsed();
    this.#log.error('the database is away', describeError(error));
  }

  /** Nothing goes on there until somebody has looked, so it has a line of its own. */
  #noteEarlier(error: unknown): void {
    if (!(error instanceof EarlierTimelineError) || this.#isEarlier) return;
    this.#isEarlier = true;
    this.#log.error('a server of an earlier timeline takes writes', describeError(error));
  }

  /** @param number from before the statement: an answer to what was asked earlier says nothing of now */
  answered(number: number): void {
    if (!this.#isOn || number !== this.#number) return;
    this.#isOn = false;
    this.#isEarlier = false;
    this.#endedAt = this.#elapsed();
    this.#log.warn('the database is back', { ms: Math.round(this.#endedAt - this.#since) });
  }

  /** Whether an error needs no line of its own, since the database was away. */
  explains(error: unknown): boolean {
    const isNear = this.#isOn || this.#elapsed() - this.#endedAt < aftermathMs;
    return isNear && isUnavailable(error);
  }
}
