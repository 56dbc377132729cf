/** Collects clean-up steps and runs them in reverse order, however the process ends. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs every step once, even if one of them fails. */
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

  /** Also cleans up before the process ends by a signal or by an uncaught error. */
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
