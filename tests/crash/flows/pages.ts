import { testCard } from '../../support/card-payment.ts';
import type { Answered, Client } from '../client.ts';
import { pay, payments, type Runs } from './flow.ts';

/** How often a buyer loads a page that does not advance, and the number of loads after which only one per minute follows. */
const maxVisits = 150;
const patientVisits = 75;
const minuteMs = 60_000;

const cardForm = {
  number: testCard.number,
  expiry: '03/32',
  cvc: testCard.cvc,
  name: testCard.holder_name,
};

/** Repeats the buyer's action on the hosted page until the payment has left `requires_action`. */
async function untilEnded(client: Client, { id }: Answered, visit: () => Promise<void>): Promise<void> {
  for (let count = 0; count < maxVisits; count += 1) {
    const { status } = await client.ask<Answered>('GET', `${payments}/${id}`);
    if (status !== 'requires_action') return;
    await visit();
    // After an outage, recovery may take up to an hour to try again.
    if (count < patientVisits) await client.later(count);
    else await client.pass(minuteMs);
  }
  throw new Error(`${id} still waits for its buyer`);
}

/** Goes as the buyer from the hosted page to the processor's page, approves and returns, until the payment has ended. */
async function agreeFrom(client: Client, begin: () => void, request: Record<string, unknown>): Promise<void> {
  const payment = await pay(client, 'pay', request);
  const page = payment.next_action?.checkout_url;
  begin();
  if (page === undefined) return;
  await untilEnded(client, payment, async () => {
    const away = await client.browse(`${page}/continue`);
    const back = away === undefined ? null : await client.approveAt(away);
    if (back !== null) await client.browse(back);
  });
}

/** A 3-D Secure challenge on processor_a, begun on the hosted page. */
export const challengePage: Runs[string] = (client, begin) =>
  agreeFrom(client, begin, { card: { number: '4212345678910006' } });

/** Flows of buyers on the hosted page, for the processor that supports them. */
export const pageFlows: Runs = {
  async 'card page'(client, begin) {
    const payment = await pay(client, 'pay', { payment_method: { type: 'card_fields' } });
    const page = payment.next_action?.checkout_url;
    begin();
    if (page === undefined) return;
    await untilEnded(client, payment, async () => {
      await client.browse(page);
      await client.browse(page, cardForm);
    });
  },
  'wallet page': (client, begin) => agreeFrom(client, begin, { payment_method: { type: 'processor_b' } }),
};
