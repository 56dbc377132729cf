import { type ErrorOptions, ServiceError } from '../primitives/api-error.ts';
import type { ErrorType } from '../primitives/error.ts';

/** Error codes that only the dashboard API uses. All other errors have a code of the merchant API. */
export const dashboardErrorCatalogue = {
  not_signed_in: [401, 'authentication_error'],
  invalid_credentials: [401, 'authentication_error'],
  /** The password is correct, but the person uses an authenticator app: send `code` as well. */
  code_required: [401, 'authentication_error'],
  invalid_code: [401, 'authentication_error'],
  /** The person has to confirm the password (`confirmSession`) before this can be revealed or changed. */
  confirmation_required: [401, 'authentication_error'],
  forbidden: [403, 'authentication_error'],
  csrf_failed: [403, 'authentication_error'],
  link_not_valid: [404, 'invalid_request_error'],
  /** The object has changed to another state in the meantime. */
  conflict: [409, 'invalid_request_error'],
  weak_password: [422, 'validation_error'],
  already_member: [422, 'validation_error'],
  last_owner: [422, 'validation_error'],
  too_many_attempts: [429, 'rate_limit_error'],
  /** The query was aborted because it reads too much data: a narrower filter is needed. */
  read_too_long: [503, 'api_error'],
  /** Too many concurrent reads, and this one was not served in time: the client should retry. */
  too_many_reads: [503, 'api_error'],
} as const satisfies Record<string, readonly [number, ErrorType]>;
export type DashboardErrorCode = keyof typeof dashboardErrorCatalogue;

/** An error with a code of the dashboard's own. */
export class DashboardError extends ServiceError {
  readonly code: DashboardErrorCode;
  readonly isDocumented = false;

  constructor(code: DashboardErrorCode, message: string, options: Omit<ErrorOptions, 'status'> = {}) {
    super(message, options);
    this.name = 'DashboardError';
    this.code = code;
  }

  get status(): number {
    return dashboardErrorCatalogue[this.code][0];
  }

  get type(): ErrorType {
    return dashboardErrorCatalogue[this.code][1];
  }
}
