const max = 256;
/** An exchange that takes longer than this marks its endpoint as slow. */
const slowMs = 1000;

/**
 * Remembers the endpoints whose latest exchange was slow, up to the newest 256. The lane that serves failing endpoints
 * serves these too, so that they take no capacity from quick ones. Nothing is shared: every process finds out for itself.
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
