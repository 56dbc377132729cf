/** Queues by name, first in, first out: of those who wait in one line only the first works. */
export class Lines {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs work once everybody who joined the line before has ended. @throws what the work throws */
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
