import type { DerivedKeys } from '../../lib/keys.ts';
import type { PaymentLinks } from '../../payments/dependencies.ts';

/**
 * The URLs for a payment's buyer. Their token holds account and mode, so that it is found without a search over all
 * accounts, and a part that only this service can compute. The database stores its hash.
 */
export function checkoutLinks(keys: DerivedKeys, baseUrl: () => string): PaymentLinks {
  return {
    token: (accountId, livemode, paymentId) =>
      `${accountId.slice('acct_'.length)}${livemode ? 'l' : 't'}${keys.token(`${accountId}:${livemode}:${paymentId}`)}`,
    checkoutUrl: (token) => `${baseUrl()}/checkout/pay/${token}`,
    returnUrl: (token) => `${baseUrl()}/checkout/return/${token}`,
    cancelUrl: (token) => `${baseUrl()}/checkout/cancel/${token}`,
  };
}

/** Account and mode of a token; undefined if the text is not a token. */
export function readToken(token: string): { accountId: string; livemode: boolean } | undefined {
  const [, account, mode] = /^([a-z0-9]{24})([tl])[A-Za-z0-9_-]{43}$/.exec(token) ?? [];
  return account === undefined ? undefined : { accountId: `acct_${account}`, livemode: mode === 'l' };
}
