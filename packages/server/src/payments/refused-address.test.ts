import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connection } from '../processors/processor-a/test-kit.ts';
import { type Refusals, strictUpstream } from '../processors/processor-a/test-strict-upstream.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_a');
});

const request: PaymentCreate = {
  ...cardPayment,
  billing_address: { line1: 'Torstraße', line2: '12', city: 'Berlin', postal_code: '10119', country: 'DE' },
};
const pay = () => shop.pay('k', {}, request);

/** Lets processor_a’s real adapter charge and cancel. */
function connect(refusals?: Refusals) {
  const { port, state, sent } = strictUpstream(refusals);
  const cancelled: string[] = [];
  kit.processor.answers = {
    charge: (_connection, charge) => port.charge(connection, charge),
    cancel: (_connection, cancel) => {
      cancelled.push(cancel.paymentId);
      return port.cancel(connection, cancel);
    },
  };
  return { state, sent, cancelled };
}

async function passAMinute(): Promise<void> {
  for (let passed = 0; passed < 60; passed += 2) {
    kit.clock.move(2000);
    await recoverPayments(kit.payments);
  }
}

const report = async (update: Parameters<typeof applyPaymentUpdate>[3]) =>
  applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf('k')).id, update);
const authorised = { kind: 'settled', outcome: chargedAs('PSP1'), amount: 4990, currency: 'EUR' } as const;
const state = async () => {
  const { status, failure_code: code } = await shop.paymentOf('k');
  return code === null ? status : `${status} ${code}`;
};

describe('a payment whose address processor_a refuses', () => {
  it('is charged without the address at the first attempt', async () => {
    const upstream = connect();
    upstream.state.refusesAddresses = true;
    expect((await pay()).status).toBe(201);
    expect(upstream.state.charges).toBe(1);
  });

  it('is charged once by a retry after the response to the copy without it was lost', async () => {
    const upstream = connect();
    upstream.state.refusesAddresses = true;
    upstream.state.losesCopies = true;
    expect(await pay()).toMatchObject({ status: 503 });
    upstream.state.losesCopies = false;
    expect((await pay()).status).toBe(201);
    const { id } = await shop.paymentOf('k');
    expect(upstream.sent.map(({ key }) => key)).toEqual([`${id}:c`, `${id}:c:a`, `${id}:c:a`]);
    expect(upstream.state.charges).toBe(1);
  });

  it('is charged by a retry after the refusal was lost, where the upstream keeps refusals', async () => {
    const upstream = connect('stored');
    upstream.state.refusesAddresses = true;
    upstream.state.losesAnswers = true;
    expect(await pay()).toMatchObject({ status: 503 });
    upstream.state.losesAnswers = false;
    expect((await pay()).status).toBe(201);
    expect(upstream.state.charges).toBe(1);
  });

  it('502 for its retry after the refusal was lost, until recovery cancels what is under its reference', async () => {
    const upstream = connect();
    upstream.state.refusesAddresses = true;
    upstream.state.losesAnswers = true;
    expect(await pay()).toMatchObject({ status: 503 });
    upstream.state.losesAnswers = false;
    expect(await pay()).toEqual({ status: 502, text: 'provider_error' });
    expect(upstream.cancelled).toEqual([]);
    await passAMinute();
    const { id } = await shop.paymentOf('k');
    expect(upstream.cancelled).toEqual([id]);
    expect(await report({ kind: 'cancelled' })).toBe('applied');
    expect(await state()).toBe('failed not_processed');
    expect((await pay()).status).toBe(200);
    expect(upstream.state.charges).toBe(0);
  });
});

describe('a payment whose address processor_a refuses only at the retry', () => {
  it('is charged once: the notification of its charge settles it', async () => {
    const upstream = connect();
    upstream.state.losesAnswers = true;
    expect(await pay()).toMatchObject({ status: 503 });
    Object.assign(upstream.state, { losesAnswers: false, refusesAddresses: true });
    expect(await pay()).toEqual({ status: 502, text: 'provider_error' });
    expect(await report(authorised)).toBe('applied');
    expect((await pay()).status).toBe(201);
    expect([await state(), upstream.state.charges]).toEqual(['succeeded', 1]);
  });

  it('is charged once where recovery could not cancel it', async () => {
    const upstream = connect();
    upstream.state.losesAnswers = true;
    await pay();
    Object.assign(upstream.state, { losesAnswers: false, refusesAddresses: true });
    await pay();
    await passAMinute();
    expect(await report({ kind: 'not_cancelled' })).toBe('applied');
    expect(await report(authorised)).toBe('applied');
    expect([await state(), upstream.state.charges]).toEqual(['succeeded', 1]);
  });
});
