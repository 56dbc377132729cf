/**
 * Collects what a test must undo, even if it fails. Runs the newest first; an error does not prevent the
 * others from running.
 */
export class CleanUp {
  #undo: (() => unknown)[] = [];

  add(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  /**
   * For `afterEach` or `afterAll`.
   * @throws the first error, after everything was tried
   */
  readonly run = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  };
}
