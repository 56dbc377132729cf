const liveSuffix = '_live';

/** The merchant account under which an account of ours is known to the simulated processors: one for each mode. */
export const merchantAccountOf = (accountId: string, livemode: boolean): string =>
  livemode ? `${accountId}${liveSuffix}` : accountId;

/** The account and mode that a simulated processor's merchant account stands for. */
export const readMerchantAccount = (
  merchantAccount: string,
): { readonly accountId: string; readonly livemode: boolean } =>
  merchantAccount.endsWith(liveSuffix)
    ? { accountId: merchantAccount.slice(0, -liveSuffix.length), livemode: true }
    : { accountId: merchantAccount, livemode: false };
