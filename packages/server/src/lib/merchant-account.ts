const liveSuffix = '_live';

/** The simulated processors' merchant account for one of our accounts and a mode. */
export const merchantAccountOf = (accountId: string, livemode: boolean): string =>
  livemode ? `${accountId}${liveSuffix}` : accountId;

/** The account and mode of a simulated processor's merchant account. */
export const readMerchantAccount = (
  merchantAccount: string,
): { readonly accountId: string; readonly livemode: boolean } =>
  merchantAccount.endsWith(liveSuffix)
    ? { accountId: merchantAccount.slice(0, -liveSuffix.length), livemode: true }
    : { accountId: merchantAccount, livemode: false };
