const max = 256;
/** An exchange that takes longer makes its endpoint a slow one. */
const slowMs = 1000;

/**
 * Endpoints whose latest exchange took long, the newest of them. They are sent to beside those that fail, so that
 * slow ones take no place from quick ones. Kept by one process only: every process finds out by itself.
 */
export class SlowEndpoints {
  readonly #ids = new Set<string>();

  note(endpointId: string, durationMs: number): void {
    this.#ids.delete(endpointId);
    if (durationMs <= slowMs) return;
    this.#ids.add(endpointId);
    const [oldest] = this.#ids;
    if (this.#ids.size > max && oldest !== undefined) this.#ids.delete(oldest);
  }

  list(): string[] {
    return [...this.#ids];
  }
}
