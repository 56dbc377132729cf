import { type ErrorCode, type ErrorType, errorCatalogue } from './error.ts';

export interface ErrorOptions {
  readonly param?: string;
  readonly customer?: string | undefined;
  readonly retryAfterSeconds?: number;
  readonly status?: number;
  readonly cause?: unknown;
}

/** A refusal that the caller gets in the error envelope. Anything else that is thrown is a 500 without details. */
export abstract class ServiceError extends Error {
  abstract readonly code: string;
  abstract readonly type: ErrorType;
  abstract readonly status: number;
  /** Whether the public pages explain the code. */
  abstract readonly isDocumented: boolean;
  /** Path of the field at fault. */
  readonly param: string | undefined;
  /** The customer who has what was to be given to another one. */
  readonly customer: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: ErrorOptions) {
    super(message, { cause: options.cause });
    this.param = options.param;
    this.customer = options.customer;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A refusal of the merchant API. */
export class ApiError extends ServiceError {
  readonly code: ErrorCode;
  readonly isDocumented = true;
  /** Overrides the catalogue's status where one code has two (`provider_error` is 502 or 503). */
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

/** 422 `invalid_params` that names the field by its path. */
export function invalidParam(param: string, message: string): ApiError {
  return new ApiError('invalid_params', message, { param });
}
