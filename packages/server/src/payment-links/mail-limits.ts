import { ApiError } from '@till/contract';
import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { sha256 } from '../lib/keys.ts';
import { cte, int, jsonRows, keyColumns, rowsOfJson, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** Mails with links that one account sends on a UTC day, to everybody and to one address. */
export const mostMails = { ofAccount: 200, toOneAddress: 5 } as const;

const dayMs = 86_400_000;
const everybody = Buffer.alloc(0);

/**
 * Counts a mail with a link against what an account may send on a UTC day, to everybody and to one address: a person who
 * is signed in could have a shop write to anybody as often as they like. The account's row is locked until the transaction ends.
 * @param now real time: the sandbox's clock gives no further mails
 * @throws ApiError `rate_limited` naming the limit
 */
export async function takeLinkMail(
  tx: Queryable,
  accountId: string,
  address: string,
  now: Date,
): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  const retryAfterSeconds = Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
  const take = async (of: Buffer, most: number, whose: string) => {
    const [taken] = await tx.query<{ count: number }>({
      name: 'take_payment_link_mail',
      text: `insert into payment_link_mails as m (account_id, to_sha256, day, count) values ($1, $2, $3, 1)
             on conflict (account_id, to_sha256) do update set day = greatest(m.day, excluded.day),
               count = 1 + case when m.day >= excluded.day then m.count else 0 end
             where case when m.day >= excluded.day then m.count else 0 end < $4
             returning count`,
      values: [accountId, of, day, most],
      scope: { accountId },
    });
    if (taken !== undefined) return taken.count;
    const message = `${whose} at most ${most} mails with payment links on one UTC day.`;
    throw new ApiError('rate_limited', message, { retryAfterSeconds });
  };
  const sent = await take(everybody, mostMails.ofAccount, 'An account sends');
  await take(sha256(address.toLowerCase()), mostMails.toOneAddress, 'One address gets');
  if (sent === 1) await removeFormerDays(tx, accountId, day);
}

/** Addresses of other days are not kept. */
async function removeFormerDays(tx: Queryable, accountId: string, day: string): Promise<void> {
  await tx.query({
    name: 'remove_former_payment_link_mails',
    text: 'delete from payment_link_mails where account_id = $1 and day < $2',
    values: [accountId, day],
    scope: { accountId },
  });
}

const claimInputColumns = { n: int, ...keyColumns, created_at: time, ...claimColumns, answer: text } as const;
const claimSql = `with input as (select * from ${rowsOfJson(claimInputColumns)}),
  ${claimKeys(cte('input', claimInputColumns), { state: `'done'`, status: '201', body: 'answer' })}
  select n from fresh`;

/**
 * Claims the idempotency key of a mail with its answer, in the transaction that queues it.
 * @param mail `id` of the link @returns false where another request has the key
 */
export async function claimLinkMail(
  tx: Queryable,
  tenant: Tenant,
  { id, at, claim, answer }: { id: string; at: Date; claim: Claim | null; answer: string },
): Promise<boolean> {
  const key = { tenant: tenant.tenant, id, created_at: at };
  const rows = await tx.query({
    name: 'claim_payment_link_mail',
    text: claimSql,
    values: [jsonRows(claimInputColumns, [[key, { n: 0, ...claimInput(claim), answer }]])],
    scope: tenant,
  });
  return rows.length === 1;
}
