import type { TransportError } from '../wire/transport.ts';

/** The upstream's ids of a payment. Which of them exist depends on the processor and on the payment's state. */
export interface UpstreamIds {
  /** The payment's only reference (PSP reference), at processors without orders. */
  readonly psp?: string;
  /** PSP reference of a refused attempt of the payment that another attempt replaced. Its notification may arrive late. */
  readonly replaced?: string;
  /** At processors with orders: the approved order, the hold and the capture. */
  readonly order?: string;
  readonly authorization?: string;
  readonly capture?: string;
}

/** 502 `provider_error` or 503 `provider_unavailable`. */
export type ProviderAnswer = 'provider_error' | 'provider_unavailable';

/** The error response that an upstream sent instead of an outcome. */
export interface UpstreamError {
  readonly status: number;
  /** The upstream's own error code, made of letters, digits and underscores only; null if the response names none. */
  readonly code: string | null;
  /** Path of the payment request's field that caused the error; absent if the code does not identify one. */
  readonly param?: string;
}

/**
 * The upstream gave no definite answer. `not_executed`: this call certainly did nothing, though an earlier one may have.
 * `unknown`: the call may have been carried out, and the payment stays in doubt until the upstream says which. `reason` is
 * for logs and carries no data.
 */
export interface NoAnswer {
  readonly kind: 'not_executed' | 'unknown';
  readonly answer: ProviderAnswer;
  readonly reason: string;
  /** Absent if the upstream did not respond with an error. */
  readonly error?: UpstreamError;
  /** Why no response arrived; absent if one did, or if the upstream was not called. */
  readonly transport?: TransportError['kind'];
  /** Ids of the objects that the upstream created for a charge without reporting its outcome; absent if it named none. */
  readonly upstream?: UpstreamIds;
}
