import { randomUUID } from 'node:crypto';
import { cardPayment } from '../../support/card-payment.ts';
import { apiPost, type Reply, type Shop } from '../client.ts';
import type { Fleet } from '../fleet.ts';

const payments = '/api/v1/payments';
const inDoubtMs = 5_000;

/** The number of responses to concurrent clients, by status. */
export type Tally = Readonly<Record<number, number>>;

const tally = (replies: readonly (Reply | undefined)[]): Tally => {
  const counts: Record<number, number> = {};
  for (const reply of replies) counts[reply?.status ?? 0] = (counts[reply?.status ?? 0] ?? 0) + 1;
  return counts;
};

/** Sends a request until there is a final response. */
async function ask(
  fleet: Fleet,
  shop: Shop,
  path: string,
  body: object,
  idempotencyKey: string,
): Promise<Reply> {
  for (let tries = 0; ; tries += 1) {
    const reply = await fleet.send(apiPost(shop, path, idempotencyKey, body));
    if (reply !== undefined && reply.status < 500) return reply;
    // An operation in doubt is looked up after this delay.
    if (reply?.status === 503) fleet.move(inDoubtMs);
    await fleet.later(tries);
  }
}

const times = (count: number): readonly number[] => Array.from({ length: count }, (_value, index) => index);
const idOf = ({ text }: Reply) => (JSON.parse(text) as { id: string }).id;

/** Sends requests concurrently, each with its own key. */
const together = (fleet: Fleet, shop: Shop, requests: readonly { path: string; body?: object }[]) =>
  Promise.all(requests.map(({ path, body = {} }) => ask(fleet, shop, path, body, randomUUID())));

async function pay(fleet: Fleet, shop: Shop, changes: Record<string, unknown>): Promise<Reply> {
  return ask(fleet, shop, payments, cardPayment(changes), randomUUID());
}

/** Sends many concurrent creates with one key to all servers. @returns the distinct responses */
export async function sameKey(fleet: Fleet, count: number): Promise<Set<string>> {
  const shop = fleet.shopOf('processor_a');
  const key = randomUUID();
  const body = cardPayment({ reference: key });
  const replies = await Promise.all(times(count).map(() => ask(fleet, shop, payments, body, key)));
  return new Set(replies.map(({ status, text }) => `${status} ${text}`));
}

/** Repeatedly captures and voids one hold concurrently. @returns the responses to each pair */
export async function captureAndVoid(fleet: Fleet, rounds: number): Promise<Tally[]> {
  const shop = fleet.shopOf('processor_b');
  return Promise.all(
    times(rounds).map(async () => {
      const id = idOf(await pay(fleet, shop, { capture_method: 'manual' }));
      const both = ['capture', 'void'].map((path) => ({ path: `${payments}/${id}/${path}` }));
      return tally(await together(fleet, shop, both));
    }),
  );
}

/** Confirms approved orders at the moment when their 15 minutes end. @returns the statuses that the merchants got */
export async function confirmAndExpiry(fleet: Fleet, count: number): Promise<string[]> {
  const shop = fleet.shopOf('processor_b');
  const orders = await Promise.all(
    times(count).map(async () => {
      const { text } = await pay(fleet, shop, { payment_method: { type: 'processor_b' } });
      const { id, next_action: action } = JSON.parse(text) as {
        id: string;
        next_action: { redirect_url: string };
      };
      await fleet.approve(action.redirect_url);
      return id;
    }),
  );
  const confirms = orders.map((id) => ask(fleet, shop, `${payments}/${id}/confirm`, {}, randomUUID()));
  fleet.move(15 * 60_000);
  const replies = await Promise.all(confirms);
  return replies.map(({ text }) => (JSON.parse(text) as { status: string }).status);
}

/** Sends concurrent refunds of each of several payments, all with the same amount. @returns the statuses for each payment */
export async function refundsAtOnce(
  fleet: Fleet,
  { rounds, count, amount }: { rounds: number; count: number; amount: number },
): Promise<Tally[]> {
  const shop = fleet.shopOf('processor_a');
  return Promise.all(
    times(rounds).map(async () => {
      const id = idOf(await pay(fleet, shop, { amount: 100 }));
      const refunds = times(count).map(() => ({ path: `${payments}/${id}/refunds`, body: { amount } }));
      return tally(await together(fleet, shop, refunds));
    }),
  );
}

/** Creates customers concurrently with one e-mail address in several spellings. */
export async function sameEmail(fleet: Fleet, count: number): Promise<Tally> {
  const name = randomUUID();
  const options = times(count).map((index) => ({
    path: '/api/v1/customers',
    body: { email: index % 2 === 0 ? `${name}@shop.example` : `${name.toUpperCase()}@Shop.Example` },
  }));
  return tally(await together(fleet, fleet.shopOf('processor_a'), options));
}
