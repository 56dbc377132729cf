/**
 * Collects lines and writes them once per iteration of the event loop, so that all requests answered in one iteration share one
 * system call.
 * @param write takes one or more finished lines
 */
export class LineWriter {
  readonly #write: (text: string) => void;
  #lines = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  line(text: string): void {
    if (this.#lines === '') setImmediate(() => this.flush());
    this.#lines += text;
  }

  /** Writes the collected lines. Call it before the process ends, or the last lines are lost. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#write(lines);
  }
}
