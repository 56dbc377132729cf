import { type ErrorCode, type ErrorType, errorCatalogue } from './error.ts';

/** A refusal that the caller is told of in the error envelope. Anything else that is thrown is a 500 without details. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Path of the field at fault. */
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Overrides the catalogue's status where one code has two (`provider_error` is 502 or 503). */
  readonly statusOverride: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { param?: string; retryAfterSeconds?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = options.param;
    this.retryAfterSeconds = options.retryAfterSeconds;
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
