/**
 * A refusal is held back for so long, so that clients which ask again at once, whatever `Retry-After` says, do not take
 * the time of those that were let in.
 */
const heldMs = 400;
/** So many wait at most: a protection of memory. */
const mostHeld = 2_000;

/** Refusals that are answered a little later. */
export class HeldRefusals {
  readonly #delay: (ms: number) => Promise<void>;
  #held = 0;

  constructor(delay: (ms: number) => Promise<void>) {
    this.#delay = delay;
  }

  /** @returns what a refusal waits for before it is answered; undefined where so many wait that it is answered at once */
  hold(): Promise<void> | undefined {
    return this.#held >= mostHeld ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    this.#held += 1;
    await this.#delay(heldMs);
    this.#held -= 1;
  }
}
