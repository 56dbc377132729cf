import type { passwordLimits } from '@till/contract/dashboard';

/** Least length of a new password, as in the contract. */
export const leastPassword: typeof passwordLimits.least = 8;

/** The validation error of a new password; the server checks more. */
export const newPasswordFault = (password: string): string | undefined =>
  password.length < leastPassword ? `Use at least ${leastPassword} characters.` : undefined;
