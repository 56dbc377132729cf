import { randomInt } from 'node:crypto';

/** A pseudo-random generator with a seed, so that a run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1, by Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
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

  /** Draws up to `max` items of a list, in random order. */
  draw<T>(list: readonly T[], max: number): T[] {
    const left = [...list];
    const drawn: T[] = [];
    while (drawn.length < max && left.length > 0) drawn.push(...left.splice(this.below(left.length), 1));
    return drawn;
  }

  /** Creates an independent generator, so that the number of its draws does not affect this one. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}

/** The seed in `TILL_CRASH_SEED`, or a random one. */
export function chooseSeed(): number {
  const given = process.env.TILL_CRASH_SEED;
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(given)) throw new Error('TILL_CRASH_SEED is a whole number');
  return Number(given);
}
