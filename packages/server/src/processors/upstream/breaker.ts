/** Delay between the opening of the breaker and its first probe; it doubles up to the maximum between later probes. */
const firstBackoffMs = 1_000;
const maxBackoffMs = 15_000;

export interface BreakerDependencies {
  /** This many consecutive calls without an answer open the breaker. */
  readonly threshold: number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** A further condition for opening; absent: none. */
  readonly mayOpen?: (() => boolean) | undefined;
  readonly onChange: (isOpen: boolean) => void;
}

/**
 * A circuit breaker for calls that hang (after Nygard, "Release It!"). While it is open it allows only one probe at a time,
 * after 1, 2, 4, 8 and then every 15 seconds. The first answer closes it.
 */
export class Breaker {
  readonly #deps: BreakerDependencies;
  #silent = 0;
  /** Time of the next permitted probe; null: the breaker is closed. */
  #probeAt: number | null = null;
  #backoffMs = firstBackoffMs;
  #isProbing = false;

  constructor(deps: BreakerDependencies) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#probeAt !== null;
  }

  /** Milliseconds until a call may be made; 0: now. */
  waitMs(): number {
    if (this.#probeAt === null) return 0;
    const wait = Math.max(0, this.#probeAt - this.#deps.elapsed());
    return this.#isProbing ? Math.max(firstBackoffMs, wait) : wait;
  }

  /** @returns null if no call may be made now; after `probe` the caller has to call one of the three methods below */
  begin(): 'call' | 'probe' | null {
    if (this.#probeAt === null) return 'call';
    if (this.waitMs() > 0) return null;
    this.#isProbing = true;
    return 'probe';
  }

  /** The call got an answer, whatever it said. */
  answered(): void {
    const wasOpen = this.isOpen;
    this.#silent = 0;
    this.#probeAt = null;
    this.#backoffMs = firstBackoffMs;
    this.#isProbing = false;
    if (wasOpen) this.#deps.onChange(false);
  }

  /** The call got no answer in time. */
  hung(isProbe: boolean): void {
    this.#silent += 1;
    const now = this.#deps.elapsed();
    if (isProbe && this.isOpen) {
      this.#isProbing = false;
      this.#backoffMs = Math.min(maxBackoffMs, 2 * this.#backoffMs);
      this.#probeAt = now + this.#backoffMs;
    } else if (!this.isOpen && this.#silent >= this.#deps.threshold && this.#deps.mayOpen?.() !== false) {
      this.#probeAt = now + this.#backoffMs;
      this.#deps.onChange(true);
    }
  }

  /** The probe ended without showing whether the upstream answers. */
  endedInconclusive(): void {
    this.#isProbing = false;
  }
}
