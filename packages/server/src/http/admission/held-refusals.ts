/** For how long a refusal is held back, in milliseconds: from the one to the other, spread evenly. */
export interface HoldTimes {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * A refusal under overload is held back for so long, so that clients which ask again at once, whatever `Retry-After` says, do
 * not take the time of those that were let in.
 */
export const ofOverload: HoldTimes = { fromMs: 400, toMs: 400 };

/**
 * A client with too many bodies to come is refused later, one request after the other: it comes with new connections, which
 * cost more than the refusals, and thousands that were refused together would come back together.
 */
export const ofBodies: HoldTimes = { fromMs: 1_000, toMs: 3_000 };

/** So many wait at most: a protection of memory. */
const maxHeld = 2_000;
/** The golden ratio: multiples of it spread evenly between two whole numbers, however many there are. */
const golden = 0.618_033_988_75;

/** Refusals that are answered a little later. */
export class HeldRefusals {
  readonly #delay: (ms: number) => Promise<void>;
  readonly #times: HoldTimes;
  #held = 0;
  #count = 0;

  constructor(delay: (ms: number) => Promise<void>, times: HoldTimes) {
    this.#delay = delay;
    this.#times = times;
  }

  /** @returns what a refusal waits for before it is answered; undefined where so many wait that it is answered at once */
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
