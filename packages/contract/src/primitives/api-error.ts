import { type ErrorCode, type ErrorType, errorCatalogue } from './error.ts';

export interface ErrorOptions {
  readonly param?: string;
  readonly customer?: string | undefined;
  readonly retryAfterSeconds?: number;
  readonly status?: number;
  readonly cause?: unknown;
}

/**
 * An error that the client receives in the error envelope. Any other thrown error becomes a 500 without
 * details.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: string;
  abstract readonly type: ErrorType;
  abstract readonly status: number;
  /** Whether the public documentation explains the code. */
  abstract readonly isDocumented: boolean;
  /** Path of the invalid field. */
  readonly param: string | undefined;
  /** Id of the customer that already has the value which must be unique. */
  readonly customer: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: ErrorOptions) {
    super(message, { cause: options.cause });
    this.param = options.param;
    this.customer = options.customer;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** An error of the merchant API. */
export class ApiError extends ServiceError {
  readonly code: ErrorCode;
  readonly isDocumented = true;
  /** Overrides the catalogue's status if a code has two (`provider_error` is 502 or 503). */
  readonly statusOverride: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.statusOverride = options.status;
  }

  get status(): number {
    return this.statusOverride ?? errorCatalogue[this.code][0];
  }

  get type(): ErrorType {
    return errorCatalogue[this.code][1];
  }
}

/** Creates a 422 `invalid_params` error that names the field by its path. */
export function invalidParam(param: string, message: string): ApiError {
  return new ApiError('invalid_params', message, { param });
}
