import type { passwordLimits } from '@till/contract/dashboard';

/** Least length of a new password, as in the contract. */
export const leastPassword: typeof passwordLimits.least = 8;

/** What is wrong with a password that somebody chooses, as far as the browser can tell. */
export const newPasswordFault = (password: string): string | undefined =>
  password.length < leastPassword ? `Use at least ${leastPassword} characters.` : undefined;
