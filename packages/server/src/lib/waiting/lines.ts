/** Queues of work by name. The work of one line runs first in, first out, and never concurrently. */
export class Lines {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs work once all work queued earlier in the line has ended. @throws the error of the work */
  async queued<T>(line: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(line);
    let leave = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(line, mine);
    try {
      await before;
      return await work();
    } finally {
      leave();
      if (this.#last.get(line) === mine) this.#last.delete(line);
    }
  }
}
