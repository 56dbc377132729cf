import type { TransportError } from '../wire/transport.ts';

/** Ids under which the upstream keeps a payment; which of them exist depends on the processor and the state. */
export interface UpstreamIds {
  /** The payment's one reference, at processors that have no orders. */
  readonly psp?: string;
  /** Elsewhere: what was approved, what is held and what was collected. */
  readonly order?: string;
  readonly authorization?: string;
  readonly capture?: string;
}

/** 502 `provider_error` or 503 `provider_unavailable`. */
export type ProviderAnswer = 'provider_error' | 'provider_unavailable';

/** The error that an upstream answered with instead of an outcome. */
export interface UpstreamError {
  readonly status: number;
  /** The upstream's own code, of letters, digits and underscores only; null where it names none. */
  readonly code: string | null;
  /** Path of the field of the payment request that the code is about, where it is known to mean one. */
  readonly param?: string;
}

/**
 * No definite answer. `not_executed`: this call certainly did nothing (an earlier one may have); `unknown`: it may have
 * been carried out, and the payment stays in doubt until the upstream says which. `reason` is for logs, without data.
 */
export interface NoAnswer {
  readonly kind: 'not_executed' | 'unknown';
  readonly answer: ProviderAnswer;
  readonly reason: string;
  /** Absent where the upstream answered with no error. */
  readonly error?: UpstreamError;
  /** Why nothing came back from the upstream; absent where something did, or where it was not asked. */
  readonly transport?: TransportError['kind'];
  /** Ids of what the upstream made of a charge whose outcome it did not say; absent where it named none. */
  readonly upstream?: UpstreamIds;
}
