import type { ErrorCode, ErrorType } from '../generated/index.ts';

/** What is known of a call that failed. */
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

/** A call that did not get what it asked for. A declined payment is no error: see `isDeclined`. */
export class TillError extends Error {
  static {
    TillError.prototype.name = 'TillError';
  }
  /** One of the seven types of the API, or `connection_error`. */
  readonly type: ErrorType | 'connection_error';
  /** Stable: match on it. New codes may be added. */
  readonly code: ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_answer' | (string & {});
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** Path of the invalid field, such as `payment_method.exp_month`. */
  readonly param: string | undefined;
  /** Who has it already, of `customer_email_taken` and `customer_external_id_taken`. */
  readonly customer: string | undefined;
  /** Log it, and quote it to support. */
  readonly requestId: string | undefined;
  /** A page that says what the code means and what to do. */
  readonly docUrl: string | undefined;
  /** The same call with the same `idempotencyKey` may succeed later. The client has used up its own retries. */
  readonly retryable: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** The key that every try carried: pass it as an option to resume the same call later. */
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

/** The request is invalid: a missing field, an unknown id or address. */
export class InvalidRequestError extends TillError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError';
  }
  declare readonly type: 'invalid_request_error';
}

/** The API key is missing, unknown, revoked, or of the other mode. */
export class AuthenticationError extends TillError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError';
  }
  declare readonly type: 'authentication_error';
}

/** A field or the state of the object does not allow it; `param` names the field. */
export class ValidationError extends TillError {
  static {
    ValidationError.prototype.name = 'ValidationError';
  }
  declare readonly type: 'validation_error';
}

/** The idempotency key was used with another body. */
export class IdempotencyError extends TillError {
  static {
    IdempotencyError.prototype.name = 'IdempotencyError';
  }
  declare readonly type: 'idempotency_error';
}

/** Too many requests with this key. */
export class RateLimitError extends TillError {
  static {
    RateLimitError.prototype.name = 'RateLimitError';
  }
  declare readonly type: 'rate_limit_error';
}

/** The processor failed, refused or did not answer in time. */
export class ProviderError extends TillError {
  static {
    ProviderError.prototype.name = 'ProviderError';
  }
  declare readonly type: 'provider_error';
}

/** A fault of the server, or an answer that is not of the API (`unexpected_answer`). */
export class ApiError extends TillError {
  static {
    ApiError.prototype.name = 'ApiError';
  }
  declare readonly type: 'api_error';
}

/** No answer came: whether the call took effect is not known. Repeat it with the same `idempotencyKey`. */
export class ConnectionError extends TillError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }
  declare readonly type: 'connection_error';
  declare readonly code: 'connection_failed' | 'timed_out';
}

/** The class of each type of the API. */
export const errorClasses = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  validation_error: ValidationError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  provider_error: ProviderError,
  api_error: ApiError,
} as const satisfies Record<ErrorType, typeof TillError>;
