import { cardPayment } from '../../support/card-payment.ts';
import { until } from '../../support/until.ts';
import { apiPost, Client, type Reply } from '../client.ts';
import { type Finding, findFaults } from '../counters.ts';
import { gather, openShop } from '../evidence.ts';
import type { World } from '../world.ts';

/**
 * Two servers refund 60 of 100 concurrently. Both have found the payment refundable, and the row that both are about to update
 * is locked until both wait for it.
 * @returns the faults afterwards
 */
export async function refundsThatMeet(world: World): Promise<Finding[]> {
  const shop = await openShop(world.place, 'processor_a');
  world.serve(shop);
  const { db } = world.place;
  const client = new Client(world, shop, `meet-${shop.accountId}`);
  const { id } = await client.post('pay', '/api/v1/payments', cardPayment({ amount: 100 }));
  const other = await world.startBeside();
  const refund = (name: string) => apiPost(shop, `/api/v1/payments/${id}/refunds`, name, { amount: 60 });
  let replies: Promise<(Reply | undefined)[]> = Promise.resolve([]);
  await db.transaction(async (tx) => {
    await tx.query({
      text: 'select from payments where tenant = $1 and id = $2 for update',
      values: [shop.tenant, id],
      scope: 'everybody',
    });
    replies = Promise.all([world.send(refund('one')), other.send(refund('other'))]);
    await until('both refunds wait for the payment', async () => {
      const rows = await db.query({
        text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        scope: 'everybody',
      });
      return rows.length === 2;
    });
  });
  const statuses = (await replies).map((reply) => reply?.status).sort();
  await world.settle();
  await other.stop();
  const isOne = statuses[0] === 201 && statuses[1] === 422;
  return [
    ...findFaults(await gather(world.place, shop, [client])),
    ...world.takeUnexpected(),
    ...(isOne
      ? []
      : [{ counter: 'reply differing' as const, detail: `refunds got ${statuses.join(' and ')}` }]),
  ];
}
