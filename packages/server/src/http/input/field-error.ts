import { ApiError, type ErrorCode } from '@till/contract';

/** Error codes for certain fields of a body, used instead of `invalid_params`. */
export type FieldCodes = Readonly<Record<string, ErrorCode>>;

/** The error for a refused field, given by its path. */
export function fieldError(param: string, message: string, codes: FieldCodes = {}): ApiError {
  const field = /^[^.[]*/.exec(param)?.[0] ?? '';
  // Own properties only: a body may have a field named `constructor`.
  const code = Object.hasOwn(codes, field) ? codes[field] : undefined;
  return new ApiError(code ?? 'invalid_params', message, { param });
}
