/** A queue in which every request waits longer than this, and which does not drain, is a standing queue. */
const targetMs = 20;
const windowMs = 100;
const minWaiting = 4;
/** Overload ends after this long without a refusal. Refused clients retry only after their answer was held back. */
const cooldownMs = 1_000;

/**
 * Distinguishes a burst from overload by how long the served requests had waited (after Nichols and Jacobson, "Controlling
 * queue delay"), and by whether more requests keep arriving: a burst ends after some number of requests and then drains. All
 * times are milliseconds of a monotonic clock.
 */
export class WaitingTimes {
  readonly #burst: number;
  #began = Number.NEGATIVE_INFINITY;
  #min = Number.POSITIVE_INFINITY;
  #served = 0;
  #arrived = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #arrivedSinceEmpty = 0;
  #maxWaiting = Number.POSITIVE_INFINITY;

  /** @param burst up to this many requests that have to wait, counted from an empty queue, are still a burst */
  constructor(burst: number) {
    this.#burst = burst;
  }

  /** How many requests may wait: any number in a burst; in overload as many as get a place within the target. */
  maxWaiting(now: number): number {
    this.#roll(now);
    return this.#maxWaiting;
  }

  /** Records that a request arrived and has to wait. @param isFirst no other request waits */
  recordArrival(now: number, isFirst: boolean): void {
    this.#roll(now);
    this.#arrived += 1;
    this.#arrivedSinceEmpty = isFirst ? 1 : this.#arrivedSinceEmpty + 1;
  }

  /** Records that a waiting request got a place. @param waitedMs infinite if it says nothing about the queue */
  recordServed(now: number, waitedMs: number): void {
    this.#roll(now);
    this.#min = Math.min(this.#min, waitedMs);
    this.#served += 1;
  }

  /** Records that a request was refused because too many wait. */
  recordRefusal(now: number): void {
    this.#roll(now);
    this.#arrived += 1;
    this.#refusedAt = now;
  }

  /** Evaluates the current window if it is over, and begins the next. */
  #roll(now: number): void {
    const passed = now - this.#began;
    if (passed < windowMs) return;
    const wasOverloaded = Number.isFinite(this.#maxWaiting);
    const stands = wasOverloaded
      ? now - this.#refusedAt < cooldownMs
      : passed < 5 * windowMs && this.#isNoBurst();
    if (stands && !wasOverloaded) this.#refusedAt = now;
    this.#maxWaiting = stands
      ? Math.max(minWaiting, Math.ceil((this.#served / passed) * targetMs))
      : Number.POSITIVE_INFINITY;
    if (this.#min <= targetMs) this.#arrivedSinceEmpty = 0;
    this.#began = now;
    this.#min = Number.POSITIVE_INFINITY;
    this.#served = 0;
    this.#arrived = 0;
  }

  /** Whether every request waited long, more arrived than a burst has, and more keep arriving. */
  #isNoBurst(): boolean {
    const isSlow = this.#min > targetMs && Number.isFinite(this.#min);
    return isSlow && this.#arrivedSinceEmpty > this.#burst && 2 * this.#arrived >= this.#served;
  }
}
