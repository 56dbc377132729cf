import type { Queryable } from '../../store/database.ts';

/** How many deliveries one statement ends: few enough for it to finish within the statement timeout. */
const maxAtOnce = 10_000;

/**
 * @param chosen SQL that selects the keys of deliveries and locks the rows, since two processes that end the same ones
 *   would wait for each other
 */
const endSql = (chosen: string) => `with chosen as materialized (${chosen})
  update deliveries d set state = 'failed', ended_at = $1 from chosen c
  where d.account_id = c.account_id and d.endpoint_id = c.endpoint_id and d.id = c.id and d.state = 'pending'
  returning d.id`;

/** Ends pending deliveries of an endpoint, as many as one statement can. @param now real time */
export async function endDeliveries(db: Queryable, accountId: string, id: string, now: Date): Promise<void> {
  await db.query({
    name: 'end_deliveries',
    text: endSql(`select account_id, endpoint_id, id from deliveries
                  where account_id = $2 and endpoint_id = $3 and state = 'pending'
                  order by next_attempt_at, id limit $4 for update skip locked`),
    // Along the index of pending deliveries, not through all that the endpoint ever got.
    byIndex: true,
    values: [now, accountId, id, maxAtOnce],
    scope: { accountId },
  });
}

/**
 * Walks the index of pending deliveries from endpoint to endpoint and ends those of deleted endpoints. Neither the number of
 * pending deliveries of an endpoint that exists nor the number of deleted endpoints matters.
 */
export const endOfDeletedSql = endSql(`with recursive waiting as (
    (select account_id, endpoint_id from deliveries where state = 'pending'
     order by account_id, endpoint_id limit 1)
    union all
    select n.* from waiting w cross join lateral (
      select account_id, endpoint_id from deliveries
      where state = 'pending' and (account_id, endpoint_id) > (w.account_id, w.endpoint_id)
      order by account_id, endpoint_id limit 1) n)
  select w.account_id, w.endpoint_id, d.id
  from waiting w
  cross join lateral (
    select from webhook_endpoints
    where account_id = w.account_id and id = w.endpoint_id and deleted_at is not null offset 0) e
  cross join lateral (
    select id from deliveries
    where account_id = w.account_id and endpoint_id = w.endpoint_id and state = 'pending'
    order by next_attempt_at, id limit $2 for update skip locked) d
  limit $2`);

/**
 * Ends pending deliveries of deleted endpoints, however long ago they were deleted. They remain if one statement could not end
 * all, or if they were written meanwhile by a retry or with an event whose commit overlapped the deletion. They are never sent.
 * @param now real time
 */
export async function endDeliveriesOfDeleted(db: Queryable, now: Date): Promise<void> {
  let ended = maxAtOnce;
  while (ended === maxAtOnce) {
    const rows = await db.query({
      name: 'end_deliveries_of_deleted_endpoints',
      byIndex: true,
      text: endOfDeletedSql,
      values: [now, maxAtOnce],
      scope: 'everybody',
    });
    ended = rows.length;
  }
}
