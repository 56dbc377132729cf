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
                  where account_id = $2 and endpoint_id = $3 and state = 'pending' limit $4 for update skip locked`),
    values: [now, accountId, id, maxAtOnce],
    scope: { accountId },
  });
}

/**
 * Ends pending deliveries of deleted endpoints. They remain if one statement could not end all, or if they were written
 * meanwhile by a retry or with an event whose commit overlapped the deletion. They are never sent.
 * @param now real time
 */
export async function endDeliveriesOfDeleted(db: Queryable, now: Date): Promise<void> {
  let ended = maxAtOnce;
  while (ended === maxAtOnce) {
    const rows = await db.query({
      name: 'end_deliveries_of_deleted_endpoints',
      text: endSql(`select e.account_id, e.endpoint_id, d.id
                    from (select account_id, id as endpoint_id from webhook_endpoints
                          where deleted_at > $1::timestamptz - interval '1 day' offset 0) e
                    cross join lateral (
                      select id from deliveries
                      where account_id = e.account_id and endpoint_id = e.endpoint_id and state = 'pending'
                      limit $2 for update skip locked) d
                    limit $2`),
      values: [now, maxAtOnce],
      scope: 'everybody',
    });
    ended = rows.length;
  }
}
