/** A queue in which everybody waits longer than this, and which does not become shorter, is a standing one. */
const targetMs = 20;
const windowMs = 100;
const fewest = 4;

/**
 * Tells a burst from overload by how long those waited who came to their turn (after Nichols and Jacobson, "Controlling
 * queue delay"): a burst drains, so that somebody soon waits no time at all; in a standing queue everybody waits. All
 * times are of a monotonic clock, in milliseconds.
 */
export class WaitingTimes {
  #began = Number.NEGATIVE_INFINITY;
  #shortest = Number.POSITIVE_INFINITY;
  #turns = 0;
  #refused = 0;
  #mostWaiting = Number.POSITIVE_INFINITY;

  /** How many may wait: without bound for a burst; in overload as many as come to their turn within the target. */
  mostWaiting(now: number): number {
    this.#roll(now);
    return this.#mostWaiting;
  }

  /** Somebody came to their turn. */
  turn(now: number, waitedMs: number): void {
    this.#roll(now);
    this.#shortest = Math.min(this.#shortest, waitedMs);
    this.#turns += 1;
  }

  /** Somebody found too many waiting. */
  refused(now: number): void {
    this.#roll(now);
    this.#refused += 1;
  }

  /** Looks back at the window that is over. */
  #roll(now: number): void {
    const passed = now - this.#began;
    if (passed < windowMs) return;
    const wasOverloaded = Number.isFinite(this.#mostWaiting);
    const isFresh = passed < 5 * windowMs;
    const stands = wasOverloaded
      ? this.#refused > 0
      : this.#shortest > targetMs && Number.isFinite(this.#shortest);
    this.#mostWaiting =
      isFresh && stands
        ? Math.max(fewest, Math.ceil((this.#turns / passed) * targetMs))
        : Number.POSITIVE_INFINITY;
    this.#began = now;
    this.#shortest = Number.POSITIVE_INFINITY;
    this.#turns = 0;
    this.#refused = 0;
  }
}
