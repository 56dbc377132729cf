export interface BulkheadLimits {
  /** The most that one key may hold. */
  readonly each: number;
  /** The most that all keys hold together, as long as none is below its share. */
  readonly all: number;
}

/**
 * Bounds how many of something are under way, for each key and in all. Where all are taken, a key with less than an equal
 * share of them may still enter, so that nobody keeps others out by holding what there is.
 */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** How many are under way. */
  get total(): number {
    return this.#total;
  }

  /** Whether one more of this key may enter. */
  hasRoom(key: string): boolean {
    const held = this.#held.get(key) ?? 0;
    if (held >= this.#limits.each) return false;
    if (this.#total < this.#limits.all) return true;
    const keys = this.#held.size + (held === 0 ? 1 : 0);
    return held < Math.floor(this.#limits.all / keys);
  }

  /** @returns what to call once it is over, any number of times; null where there is no room */
  enter(key: string): (() => void) | null {
    if (!this.hasRoom(key)) return null;
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
