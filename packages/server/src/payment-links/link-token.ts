import type { Tenant } from '../store/tenant.ts';

/*
 * The address of a link is made of the account, the mode and the link's id. The merchant prints it and copies it again years
 * later, so it must be readable for as long as the link lives, and no key that is changed may change it. It needs no secret
 * beside the id, whose 82 random bits nobody guesses: who has the address can do nothing but pay the merchant.
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
