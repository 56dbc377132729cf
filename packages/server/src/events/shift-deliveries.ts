import type { Queryable } from '../store/database.ts';

/** How many deliveries one statement brings forward: few enough to stay within the statement timeout. */
const maxAtOnce = 10_000;

interface Place {
  readonly endpoint_id: string;
  /** As text, to keep the database's precision. */
  readonly next_attempt_at: string;
  readonly id: string;
}

const shiftSql = `with batch as materialized (
    select d.endpoint_id, d.next_attempt_at, d.id from deliveries d join tenants t on t.tenant = d.tenant and not t.livemode
    where d.account_id = $1 and d.state = 'pending' and d.next_attempt_at > $2 and d.lease_until <= $2
      and (d.endpoint_id, d.next_attempt_at, d.id) > ($4, $5::text::timestamptz, $6)
    order by d.endpoint_id, d.next_attempt_at, d.id limit $7
    for update of d skip locked),
  shifted as (
    update deliveries d set next_attempt_at = d.next_attempt_at - $3::bigint * interval '1 millisecond'
    from batch b where d.account_id = $1 and d.endpoint_id = b.endpoint_id and d.id = b.id)
  select endpoint_id, next_attempt_at::text as next_attempt_at, id from batch
  order by batch.endpoint_id desc, batch.next_attempt_at desc, id desc limit 1`;

/**
 * Brings the next attempts of an account's test deliveries forward by as much as its clock moves: their times are stored as
 * real time, but their gaps follow the account's clock (decisions, "Sandbox"). A delivery that is being attempted now is left
 * alone, since its next gap begins when the attempt ends.
 * @param tx the transaction that moves the clock @param by in milliseconds @param now real time @param batchSize of one statement
 */
export async function shiftDeliveries(
  tx: Queryable,
  accountId: string,
  {
    by,
    now,
    batchSize = maxAtOnce,
  }: { readonly by: number; readonly now: Date; readonly batchSize?: number },
): Promise<void> {
  let after: Place | undefined = { endpoint_id: '', next_attempt_at: '-infinity', id: '' };
  while (after !== undefined) {
    // A delivery that was brought forward lies before `after`, so no delivery is shifted twice.
    const rows: Place[] = await tx.query<Place>({
      name: 'shift_deliveries',
      text: shiftSql,
      values: [accountId, now, by, after.endpoint_id, after.next_attempt_at, after.id, batchSize],
      scope: { accountId },
    });
    after = rows[0];
  }
}
