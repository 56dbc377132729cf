/** A queue in which everybody waits longer than this, and which does not become shorter, is a standing one. */
const targetMs = 20;
const windowMs = 100;
const minTurns = 4;
/** Overload is over once nobody was refused for so long: refused clients come again after their answer was held back. */
const cooldownMs = 1_000;

/**
 * Tells a burst from overload by how long the requests served had waited (after Nichols and Jacobson, "Controlling
 * queue delay"), and by whether more keep coming: a burst is over after some number of requests, and drains. All times are
 * of a monotonic clock, in milliseconds.
 */
export class WaitingTimes {
  readonly #burst: number;
  #began = Number.NEGATIVE_INFINITY;
  #min = Number.POSITIVE_INFINITY;
  #turns = 0;
  #came = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #cameSinceEmpty = 0;
  #maxWaiting = Number.POSITIVE_INFINITY;

  /** @param burst so many that have to wait, from when nobody did, are still a burst */
  constructor(burst: number) {
    this.#burst = burst;
  }

  /** How many may wait: without bound for a burst; in overload as many as come to their turn within the target. */
  maxWaiting(now: number): number {
    this.#roll(now);
    return this.#maxWaiting;
  }

  /** A request came and has to wait. @param isFirst nobody else waits */
  came(now: number, isFirst: boolean): void {
    this.#roll(now);
    this.#came += 1;
    this.#cameSinceEmpty = isFirst ? 1 : this.#cameSinceEmpty + 1;
  }

  /** A request got its turn. @param waitedMs infinite where it says nothing about the queue */
  turn(now: number, waitedMs: number): void {
    this.#roll(now);
    this.#min = Math.min(this.#min, waitedMs);
    this.#turns += 1;
  }

  /** A request found too many waiting. */
  refused(now: number): void {
    this.#roll(now);
    this.#came += 1;
    this.#refusedAt = now;
  }

  /** Looks back at the window that is over. */
  #roll(now: number): void {
    const passed = now - this.#began;
    if (passed < windowMs) return;
    const wasOverloaded = Number.isFinite(this.#maxWaiting);
    const stands = wasOverloaded
      ? now - this.#refusedAt < cooldownMs
      : passed < 5 * windowMs && this.#isNoBurst();
    if (stands && !wasOverloaded) this.#refusedAt = now;
    this.#maxWaiting = stands
      ? Math.max(minTurns, Math.ceil((this.#turns / passed) * targetMs))
      : Number.POSITIVE_INFINITY;
    if (this.#min <= targetMs) this.#cameSinceEmpty = 0;
    this.#began = now;
    this.#min = Number.POSITIVE_INFINITY;
    this.#turns = 0;
    this.#came = 0;
  }

  /** Everybody waited for long, more came than a burst has, and they keep coming. */
  #isNoBurst(): boolean {
    const isSlow = this.#min > targetMs && Number.isFinite(this.#min);
    return isSlow && this.#cameSinceEmpty > this.#burst && 2 * this.#came >= this.#turns;
  }
}
