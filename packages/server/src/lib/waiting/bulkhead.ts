export interface BulkheadLimits {
  /** The most that one key may hold. */
  readonly each: number;
  /** The most that all keys may hold together. A key below its share may exceed it. */
  readonly all: number;
}

/**
 * Bounds how many of something are in flight, per key and in total. If the total is reached, a key that holds less than an equal
 * share may still enter, so that no key can lock others out by holding everything.
 */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** How many are in flight. */
  get total(): number {
    return this.#total;
  }

  /** Whether one more of this key may enter. */
  hasCapacity(key: string): boolean {
    const held = this.#held.get(key) ?? 0;
    if (held >= this.#limits.each) return false;
    if (this.#total < this.#limits.all) return true;
    const keys = this.#held.size + (held === 0 ? 1 : 0);
    return held < Math.floor(this.#limits.all / keys);
  }

  /** @returns a function to call, once or more often, when the work is over; null if there is no room */
  enter(key: string): (() => void) | null {
    if (!this.hasCapacity(key)) return null;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#total += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#total -= 1;
      const left = (this.#held.get(key) ?? 1) - 1;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
    };
  }
}
