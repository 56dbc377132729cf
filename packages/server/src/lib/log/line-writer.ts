/**
 * Collects lines and writes them once per iteration of the event loop: one system call for the lines of all requests that
 * were answered together.
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

  /** To be called before the process ends, or the last lines are lost. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#write(lines);
  }
}
