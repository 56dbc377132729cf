import type { passwordLimits } from '@till/contract/dashboard';

/** The minimum length of a new password, as in the contract. */
export const minPasswordLength: typeof passwordLimits.min = 8;

/** The validation error of a new password. The server applies further checks. */
export const newPasswordFault = (password: string): string | undefined =>
  password.length < minPasswordLength ? `Use at least ${minPasswordLength} characters.` : undefined;
