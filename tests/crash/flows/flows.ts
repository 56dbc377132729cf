import type { Provider } from '@till/contract';
import { cardPayment } from '../../support/card-payment.ts';
import type { Answered, Client } from '../client.ts';
import { connectionFlows } from './connections.ts';
import { disputeFlows, missedDispute } from './disputes.ts';
import { dayMs, type Flow, pay, payments, type Runs, saving } from './flow.ts';
import { challengePage, pageFlows } from './pages.ts';
import { holdPeopleFlows, peopleFlows } from './people.ts';

const both = ['processor_a', 'processor_b'] as const;
const windowMs = 15 * 60_000;

const newCustomer = ({ run }: Client) => ({ email: `${run.toLowerCase()}@shop.example` });

async function confirm(client: Client, payment: Answered): Promise<void> {
  if (payment.status !== 'requires_action') return;
  await client.approve(payment);
  await client.post('confirm', `${payments}/${payment.id}/confirm`);
}

/** Confirms before the buyer has approved, which is refused, and then again. */
async function confirmEarly(client: Client, payment: Answered): Promise<void> {
  await client.once('early', `${payments}/${payment.id}/confirm`);
  await confirm(client, payment);
}

/** A card whose issuer requires a 3-D Secure challenge. */
const challenged = { card: { number: '4212345678910006' } };

/** The flows for every processor, by name. */
const common: Runs = {
  async charge(client, begin) {
    begin();
    await pay(client, 'pay');
  },
  async decline(client, begin) {
    begin();
    await pay(client, 'pay', { card: { holder_name: 'CCREJECT-REFUSED' } });
  },
  async saving(client, begin) {
    begin();
    await saving(client);
  },
  async rebill(client, begin) {
    const saved = await saving(client);
    begin();
    if (saved.payment_method_id === null) return;
    await client.post('rebill', payments, {
      amount: 1500,
      currency: 'EUR',
      reference: `${client.run}-rebill`,
      customer: saved.customer,
      stored_payment_method: saved.payment_method_id,
      merchant_initiated: true,
    });
  },
  async refund(client, begin) {
    const { id, status } = await pay(client, 'pay');
    begin();
    if (status !== 'succeeded') return;
    await client.post('part', `${payments}/${id}/refunds`, { amount: 1000 });
    await client.post('rest', `${payments}/${id}/refunds`);
  },
  async 'refund that fails'(client, begin) {
    const { id, status } = await pay(client, 'pay');
    begin();
    if (status !== 'succeeded') return;
    await client.post('refund', `${payments}/${id}/refunds`, { note: 'SIM-REFUND-FAIL-ASYNC' });
  },
};

const ofOne: Readonly<Record<Provider, Runs>> = {
  processor_a: {
    async challenge(client, begin) {
      begin();
      await confirm(client, await pay(client, 'pay', challenged));
    },
    async 'early confirm'(client, begin) {
      begin();
      await confirmEarly(client, await pay(client, 'pay', challenged));
    },
    async 'challenge that nobody confirms'(client, begin) {
      const payment = await pay(client, 'pay', challenged);
      begin();
      await client.approve(payment);
      await client.pass(windowMs);
    },
    'challenge page': challengePage,
  },
  processor_b: {
    async wallet(client, begin) {
      begin();
      await confirm(client, await pay(client, 'pay', { payment_method: { type: 'processor_b' } }));
    },
    async 'an order without an approval link'(client, begin) {
      const order = { payment_method: { type: 'processor_b' }, customer: newCustomer(client) };
      begin();
      const useless = cardPayment({ ...order, description: 'SIM-WALLET-NO-APPROVAL-URL' });
      await client.refused('refused', payments, useless);
      await confirm(client, await pay(client, 'pay', order));
    },
    async 'a card that cannot be stored'(client, begin) {
      const customer = newCustomer(client);
      const card = { holder_name: 'SIM-SAVE-REFUSED' };
      begin();
      await client.refused('refused', payments, cardPayment({ customer, card, save_payment_method: true }));
      await pay(client, 'pay', { customer, card, save_payment_method: false });
    },
    async 'early confirm'(client, begin) {
      const payment = await pay(client, 'pay', { payment_method: { type: 'processor_b' } });
      begin();
      await confirmEarly(client, payment);
    },
    async capture(client, begin) {
      const { id, status } = await pay(client, 'pay', { capture_method: 'manual' });
      begin();
      if (status === 'authorized') await client.post('capture', `${payments}/${id}/capture`);
    },
    async void(client, begin) {
      const { id, status } = await pay(client, 'pay', { capture_method: 'manual' });
      begin();
      if (status === 'authorized') await client.post('void', `${payments}/${id}/void`);
    },
    async expiry(client, begin) {
      await pay(client, 'pay', { payment_method: { type: 'processor_b' } });
      begin();
      await client.pass(windowMs);
    },
    ...holdPeopleFlows,
    ...pageFlows,
    ...connectionFlows,
  },
};

export const flows: readonly Flow[] = both.flatMap((processor) =>
  Object.entries({ ...common, ...ofOne[processor], ...peopleFlows, ...disputeFlows }).map(([name, run]) => ({
    name: `${name} on ${processor}`,
    processor,
    run,
  })),
);

/** Flows that only run if they are requested by name. */
const others: readonly Flow[] = [
  ...both.map((processor) => ({
    name: `dispute missed on ${processor}`,
    processor,
    isOnce: true as const,
    run: missedDispute,
  })),
  {
    name: 'a repeat after a day on processor_b',
    processor: 'processor_b',
    isOnce: true,
    async run(client, begin) {
      const charge = cardPayment({ reference: `${client.run}-pay` });
      begin();
      await client.once('pay', payments, charge);
      client.skip(dayMs + 3_600_000);
      await client.once('pay', payments, charge);
    },
  },
];

/** @throws Error for an unknown name */
export function flowNamed(name: string): Flow {
  const flow = [...flows, ...others].find((one) => one.name === name);
  if (flow === undefined) throw new Error(`no flow is called ${name}`);
  return flow;
}
