import { randomInt } from 'node:crypto';

/** Numbers that a seed decides, so that what was drawn can be drawn again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1, by Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws Error for an empty list */
  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** So many of a list, or all of it, in any order. */
  draw<T>(list: readonly T[], max: number): T[] {
    const left = [...list];
    const drawn: T[] = [];
    while (drawn.length < max && left.length > 0) drawn.push(...left.splice(this.below(left.length), 1));
    return drawn;
  }

  /** A stream of its own, so that who draws more often changes nothing for the others. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}

/** The seed of `TILL_CRASH_SEED`, or a new one. */
export function chooseSeed(): number {
  const given = process.env.TILL_CRASH_SEED;
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(given)) throw new Error('TILL_CRASH_SEED is a whole number');
  return Number(given);
}
