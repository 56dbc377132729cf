import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { cte, int, jsonRows, keyColumns, rowsOfJson, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

const claimInputColumns = { n: int, ...keyColumns, created_at: time, ...claimColumns, answer: text } as const;
const claimSql = `with input as (select * from ${rowsOfJson(claimInputColumns)}),
  ${claimKeys(cte('input', claimInputColumns), { state: `'done'`, status: '201', body: 'answer' })}
  select n from fresh`;

/**
 * Claims the idempotency key of a request that mails a link, and stores its answer, in the transaction that queues the mail.
 * @param mail `id` of the link @returns false if another request has the key
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
