import { ApiError } from '@till/contract';
import { takeBuyerMail } from '../../mail/limits.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * Counts a mail with a payment link against the account's and the recipient's limits per UTC day.
 * @param now real time
 * @throws ApiError `rate_limited`, whose message names the limit
 */
export async function takeLinkMail(
  tx: Queryable,
  accountId: string,
  address: string,
  now: Date,
): Promise<void> {
  const limit = await takeBuyerMail(tx, accountId, { kind: 'link', address }, now);
  if (limit === null) return;
  const { of, max, retryAfterSeconds } = limit;
  const whose = of === 'account' ? 'An account sends' : 'One address gets';
  const message = `${whose} at most ${max} mails with payment links on one UTC day.`;
  throw new ApiError('rate_limited', message, { retryAfterSeconds });
}
