/** What has to be undone at the end, in reverse order, however the end comes. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs every step once, also when one of them fails. */
  run(): Promise<void> {
    this.#running ??= this.#undo();
    return this.#running;
  }

  async #undo(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        console.error('cleaning up:', error);
      }
    }
  }

  /** Cleans up also before an end by a signal or by an error that nobody caught. */
  onAbruptEnd(): void {
    const end = (code: number) => void this.run().finally(() => process.exit(code));
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
    for (const [signal, code] of Object.entries(codes)) process.once(signal, () => end(code));
    process.once('uncaughtException', (error) => {
      console.error(error);
      end(1);
    });
  }
}
