/** How long a refusal is held back, in milliseconds: a delay between the two bounds, spread evenly. */
export interface HoldTimes {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The delay of a refusal in overload. It keeps clients that retry at once, ignoring `Retry-After`, from taking time away from
 * the admitted requests.
 */
export const overloadDelay: HoldTimes = { fromMs: 400, toMs: 400 };

/**
 * The delay of a refusal for a client with too many awaited bodies: longer, and spread out. Such a client opens new connections,
 * which cost more than the refusals, and thousands refused together would come back together.
 */
export const bodiesDelay: HoldTimes = { fromMs: 1_000, toMs: 3_000 };

/** The maximum number of held refusals, which protects memory. */
const maxHeld = 2_000;
/** The golden ratio: the fractional parts of its multiples spread evenly, however many there are. */
const golden = 0.618_033_988_75;

/** Delays refusals before they are answered. */
export class HeldRefusals {
  readonly #delay: (ms: number) => Promise<void>;
  readonly #times: HoldTimes;
  #held = 0;
  #count = 0;

  constructor(delay: (ms: number) => Promise<void>, times: HoldTimes) {
    this.#delay = delay;
    this.#times = times;
  }

  /** @returns a promise to await before answering a refusal; undefined if so many wait that it must be answered at once */
  hold(): Promise<void> | undefined {
    return this.#held >= maxHeld ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    const { fromMs, toMs } = this.#times;
    this.#held += 1;
    this.#count += 1;
    await this.#delay(Math.round(fromMs + (toMs - fromMs) * ((this.#count * golden) % 1)));
    this.#held -= 1;
  }
}
