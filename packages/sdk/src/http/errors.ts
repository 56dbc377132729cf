import type { ErrorCode, ErrorType } from '../generated/index.ts';

/** Details of a failed call. */
export interface ErrorFacts {
  readonly type: ErrorType | 'connection_error';
  readonly code: string;
  readonly status?: number | undefined;
  readonly param?: string | undefined;
  readonly customer?: string | undefined;
  readonly requestId?: string | undefined;
  readonly docUrl?: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** Base class of all errors that API calls throw. A declined payment is not an error: see `isDeclined`. */
export class TillError extends Error {
  static {
    TillError.prototype.name = 'TillError';
  }
  /** Error type: one of the API's seven types, or `connection_error` if no response arrived. */
  readonly type: ErrorType | 'connection_error';
  /** Error code. Codes are stable, so your code may match on them. New ones may be added. */
  readonly code: ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_answer' | (string & {});
  /** HTTP status code. Undefined if no response arrived. */
  readonly status: number | undefined;
  /** Path of the invalid field, such as `payment_method.exp_month`. */
  readonly param: string | undefined;
  /**
   * Id of the customer that already has the value. Set with `customer_email_taken` and
   * `customer_external_id_taken`.
   */
  readonly customer: string | undefined;
  /** Request id. Log it, and quote it when you contact support. */
  readonly requestId: string | undefined;
  /** URL of a page that explains the code and how to handle it. */
  readonly docUrl: string | undefined;
  /**
   * Whether the same call with the same `idempotencyKey` may succeed later. The client has already used up
   * its own retries.
   */
  readonly retryable: boolean;
  /** Number of seconds the server asks you to wait before you retry. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Idempotency key that every attempt of the call used. Pass it as an option to repeat the same call safely.
   */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.type = facts.type;
    this.code = facts.code;
    this.status = facts.status;
    this.param = facts.param;
    this.customer = facts.customer;
    this.requestId = facts.requestId;
    this.docUrl = facts.docUrl;
    this.retryable = facts.retryable;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.idempotencyKey = facts.idempotencyKey;
  }
}

/**
 * Thrown if the request is invalid, for example because of a missing field, an unknown id or an unknown path.
 */
export class InvalidRequestError extends TillError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError';
  }
  declare readonly type: 'invalid_request_error';
}

/** Thrown if the API key is missing, unknown or revoked, or belongs to the other mode. */
export class AuthenticationError extends TillError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError';
  }
  declare readonly type: 'authentication_error';
}

/**
 * Thrown if a field's value, or the state of the object, does not allow the call. `param` names the field.
 */
export class ValidationError extends TillError {
  static {
    ValidationError.prototype.name = 'ValidationError';
  }
  declare readonly type: 'validation_error';
}

/** Thrown if the idempotency key was already used with a different request body. */
export class IdempotencyError extends TillError {
  static {
    IdempotencyError.prototype.name = 'IdempotencyError';
  }
  declare readonly type: 'idempotency_error';
}

/** Thrown if too many requests were sent with this API key. */
export class RateLimitError extends TillError {
  static {
    RateLimitError.prototype.name = 'RateLimitError';
  }
  declare readonly type: 'rate_limit_error';
}

/** Thrown if the processor failed, refused the operation or did not answer in time. */
export class ProviderError extends TillError {
  static {
    ProviderError.prototype.name = 'ProviderError';
  }
  declare readonly type: 'provider_error';
}

/**
 * Thrown if the server failed, or if the response did not come from Till's API (code `unexpected_answer`).
 */
export class ApiError extends TillError {
  static {
    ApiError.prototype.name = 'ApiError';
  }
  declare readonly type: 'api_error';
}

/**
 * Thrown if no response arrived, so it is unknown whether the call took effect. Repeat it with the same
 * `idempotencyKey`.
 */
export class ConnectionError extends TillError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }
  declare readonly type: 'connection_error';
  declare readonly code: 'connection_failed' | 'timed_out';
}

/** The error class of each API error type. */
export const errorClasses = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  validation_error: ValidationError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  provider_error: ProviderError,
  api_error: ApiError,
} as const satisfies Record<ErrorType, typeof TillError>;
