import { ApiError, type ErrorCode } from '@till/contract';

/** Codes of faults in some fields of a body, instead of `invalid_params`. */
export type FieldCodes = Readonly<Record<string, ErrorCode>>;

/** The refusal of a field by its path. */
export function fieldError(param: string, message: string, codes: FieldCodes = {}): ApiError {
  const field = /^[^.[]*/.exec(param)?.[0] ?? '';
  // A body may have a field `constructor`.
  const code = Object.hasOwn(codes, field) ? codes[field] : undefined;
  return new ApiError(code ?? 'invalid_params', message, { param });
}
