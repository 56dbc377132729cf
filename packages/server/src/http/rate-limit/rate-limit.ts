import { ApiError } from '@till/contract';

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until one more request is allowed; 0 if one is allowed now. */
  readonly retryAfterSeconds: number;
}

/** The result of taking a token for one request. */
export interface Taken {
  readonly allowed: boolean;
  /** The tokens left in the bucket. */
  readonly tokens: number;
}

/** Buckets that several processes share. */
export interface SharedBuckets {
  /** Takes a token. Never rejects; resolves with undefined if the store is not reachable now. */
  take(
    key: string,
    limit: { readonly perSecond: number; readonly burst: number },
  ): Promise<Taken | undefined>;
}

interface Bucket {
  tokens: number;
  updatedMs: number;
}

/**
 * A token bucket per API key, account or address: `perSecond` requests on average, `burst` at once. A rate of 0 turns it off. If
 * the shared buckets are not reachable, each process counts for itself.
 */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #elapsed: () => number;
  readonly #shared: SharedBuckets | undefined;
  readonly #buckets = new Map<string, Bucket>();
  /** When full buckets were last removed. */
  #sweptMs = 0;

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(options: {
    perSecond: number;
    burst: number;
    elapsed: () => number;
    shared?: SharedBuckets | undefined;
  }) {
    this.#perSecond = options.perSecond;
    this.#burst = Math.max(options.burst, options.perSecond > 0 ? 1 : 0);
    this.#elapsed = options.elapsed;
    this.#shared = options.shared;
  }

  get enabled(): boolean {
    return this.#perSecond > 0;
  }

  /** Takes one token from the key's bucket, if there is one. */
  async take(key: string): Promise<RateLimitState> {
    const limit = { perSecond: this.#perSecond, burst: this.#burst };
    const { allowed, tokens } = (await this.#shared?.take(key, limit)) ?? this.#takeHere(key);
    return this.#state(allowed, tokens);
  }

  #takeHere(key: string): Taken {
    const now = this.#elapsed();
    this.#forgetFull(now);
    const bucket = this.#bucketOf(key, now);
    const refilled = bucket.tokens + ((now - bucket.updatedMs) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#burst, refilled);
    bucket.updatedMs = now;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return { allowed, tokens: bucket.tokens };
  }

  #bucketOf(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const bucket = { tokens: this.#burst, updatedMs: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** The state of an unused bucket, for responses that belong to no key. */
  untouched(): RateLimitState {
    return this.#state(true, this.#burst);
  }

  #state(allowed: boolean, tokens: number): RateLimitState {
    return {
      allowed,
      limit: this.#burst,
      remaining: Math.floor(tokens),
      resetSeconds: Math.ceil((this.#burst - tokens) / this.#perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / this.#perSecond)),
    };
  }

  /** Removes buckets that had time to fill up, which are equivalent to none. Runs at most once per that time. */
  #forgetFull(now: number): void {
    const fullAfterMs = (this.#burst / this.#perSecond) * 1000;
    if (now - this.#sweptMs < fullAfterMs) return;
    this.#sweptMs = now;
    for (const [key, bucket] of this.#buckets) {
      if (now - bucket.updatedMs >= fullAfterMs) this.#buckets.delete(key);
    }
  }
}

/** @param message says which limit the client exceeded @throws ApiError `rate_limited` */
export function requireAllowed({ allowed, retryAfterSeconds }: RateLimitState, message: string): void {
  if (!allowed) throw new ApiError('rate_limited', message, { retryAfterSeconds });
}
