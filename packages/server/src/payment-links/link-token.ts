import type { Tenant } from '../store/tenant.ts';

/*
 * The address of a link consists of the account, the mode and the link's id. The merchant prints it, and copies it again years
 * later. So Till must be able to read it as long as the link lives, and the rotation of a key must not change it. It needs no
 * secret beside the id: nobody guesses its 82 random bits, and anyone who has the address can only pay the merchant.
 */

const ofAccount = 'acct_'.length;
const ofLink = 'pl_'.length;

/** The last part of a link's address. */
export const linkToken = (
  { accountId, livemode }: Pick<Tenant, 'accountId' | 'livemode'>,
  id: string,
): string => `${accountId.slice(ofAccount)}${livemode ? 'l' : 't'}${id.slice(ofLink)}`;

/** Account, mode and link of a token; undefined for text that is none. */
export function readLinkToken(
  token: string,
): { readonly accountId: string; readonly livemode: boolean; readonly id: string } | undefined {
  const [, account, mode, id] = /^([a-z0-9]{24})([tl])([a-z0-9]{24})$/.exec(token) ?? [];
  if (account === undefined || id === undefined) return undefined;
  return { accountId: `acct_${account}`, livemode: mode === 'l', id: `pl_${id}` };
}
