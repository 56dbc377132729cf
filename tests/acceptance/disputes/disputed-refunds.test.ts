import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

/*
 * The part of a payment that a chargeback covers cannot be refunded (decisions, "Refunds"). The rule does not depend on
 * the disputes API, which is off on the shared server, as the contract says.
 */

const paid = 5000;

async function openPaid(processor: 'processor_a' | 'processor_b') {
  const shop = await Merchant.open(processor);
  const payment: string = (await shop.pay({ amount: paid })).body.id;
  return {
    shop,
    payment,
    dispute: async (options: object = {}): Promise<{ id: string }> => {
      const reply = await shop.post(`/api/v1/test_helpers/payments/${payment}/dispute`, options);
      expect(reply.status).toBe(201);
      return reply.body;
    },
    refund: (body: object = {}, idempotencyKey?: string) =>
      shop.post(
        `/api/v1/payments/${payment}/refunds`,
        body,
        idempotencyKey === undefined ? {} : { idempotencyKey },
      ),
    move: (id: string, status: string, state = 'chargeback') =>
      till('disputes', 'move', id, '--status', status, '--state', state),
  };
}

const givenBack = async (shop: Merchant) => (await shop.ledger()).refunds.length;

describe.concurrent.each(['processor_a', 'processor_b'] as const)('a disputed payment on %s', (processor) => {
  it('cannot be refunded while a chargeback is open: 422 payment_not_refundable names the dispute', async () => {
    const { shop, dispute, refund } = await openPaid(processor);
    const { id } = await dispute();
    for (const body of [{}, { amount: 1 }, { amount: paid }]) {
      const refused = await refund(body);
      expectError(refused, 'payment_not_refundable');
      expect(refused.body.error.message).toContain(id);
    }
    expect(await givenBack(shop)).toBe(0);
  });

  it('cannot be refunded after the chargeback was accepted by its deadline', async () => {
    const { shop, dispute, refund } = await openPaid(processor);
    const { id } = await dispute();
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 11 * 24 * 3600 });
    await until(`${id} is accepted`, async () => {
      const listed = await till<{ data: { status: string }[] }>('disputes', 'list', '--account', shop.id);
      return listed.data[0]?.status === 'accepted';
    });
    expectError(await refund(), 'payment_not_refundable');
  });

  it('cannot be refunded after the chargeback was lost, and can once that was recovered', async () => {
    const { dispute, refund, move } = await openPaid(processor);
    const { id } = await dispute();
    await move(id, 'lost');
    expectError(await refund(), 'payment_not_refundable');
    await move(id, 'recovered');
    expect(await refund()).toMatchObject({ status: 201, body: { amount: paid, status: 'pending' } });
  });

  it('can be refunded once the chargeback was won, and cannot while it is raised again', async () => {
    const { dispute, refund, move } = await openPaid(processor);
    const { id } = await dispute();
    await move(id, 'won');
    expect((await refund({ amount: 1000 })).status).toBe(201);
    await move(id, 'action_required', 'pre_arbitration');
    expectError(await refund({ amount: 1000 }), 'payment_not_refundable');
  });

  it('can be refunded while the issuer only asks for information', async () => {
    const { dispute, refund, move } = await openPaid(processor);
    const { id } = await dispute({ state: 'information_request' });
    expect((await refund({ amount: 1000 })).status).toBe(201);
    await move(id, 'action_required');
    expectError(await refund({ amount: 1000 }), 'payment_not_refundable');
  });

  it('leaves the rest of a partial chargeback refundable', async () => {
    const { dispute, refund } = await openPaid(processor);
    const { id } = await dispute({ amount: 2000 });
    const refused = await refund({ amount: 3001 });
    expectError(refused, 'amount_invalid', 'amount');
    expect(refused.body.error.message).toContain('3000');
    expect(refused.body.error.message).toContain(id);
    expect((await refund({ amount: 1000 })).status).toBe(201);
    expect(await refund()).toMatchObject({ status: 201, body: { amount: 2000 } });
    expectError(await refund(), 'payment_not_refundable');
  });

  it('answers a refund that was made before the chargeback under its key', async () => {
    const { dispute, refund } = await openPaid(processor);
    const first = await refund({ amount: 1000 }, 'before');
    await dispute();
    const again = await refund({ amount: 1000 }, 'before');
    expect(again).toMatchObject({ status: 201, text: first.text });
  });

  it('is either refunded or charged back where both come concurrently', async () => {
    const { shop, dispute, refund } = await openPaid(processor);
    const [, ...refunds] = await Promise.all([
      dispute(),
      ...Array.from({ length: 4 }, () => refund({ amount: 1000 })),
    ]);
    for (const { status, body } of refunds) {
      if (status !== 201) {
        expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'payment_not_refundable' });
      }
    }
    const made = refunds.filter(({ status }) => status === 201).length;
    expectError(await refund({ amount: 1000 }), 'payment_not_refundable');
    expect(await givenBack(shop)).toBe(made);
  });
});

it('a refund of a disputed payment is refused in the dashboard too, which shows the reason beforehand', async () => {
  const { shop, payment, dispute } = await openPaid('processor_a');
  const owner = await Browser.of(shop, 'owner');
  const path = `/accounts/${shop.id}/payments/${payment}`;
  const partial = await dispute({ amount: 2000 });
  const money = async () => (await owner.get(path)).body.money;
  expect(await money()).toMatchObject({ captured: paid, refunded: 0, disputed: 2000, remaining: 3000 });
  const whole = await dispute();
  const { actions } = (await owner.get(path)).body;
  expect(actions.refund).toEqual({ allowed: false, reason: expect.stringContaining(whole.id) });
  expect(actions.refund.reason).toContain(partial.id);
  expect(await money()).toMatchObject({ disputed: paid, remaining: 0 });
  const refused = await owner.post(`${path}/refunds`, { amount: 1000 }, { idempotencyKey: randomUUID() });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'payment_not_refundable']);
});

describe('several disputes of one payment', () => {
  it.each(['processor_a', 'processor_b'] as const)(
    'each end by themselves and free their money: %s',
    async (processor) => {
      const { dispute, move, refund } = await openPaid(processor);
      for (const status of ['won', 'won', 'lost']) {
        const { id } = await dispute({ amount: 2000 });
        expect(await move(id, status)).toMatchObject({ state: 'chargeback', status });
      }
      expectError(await refund({ amount: 3001 }), 'amount_invalid');
      expect((await refund({ amount: 3000 })).status).toBe(201);
    },
  );
});

describe('a dispute by the test helper', () => {
  it.each([
    ['processor_a', 'IDR'],
    ['processor_b', 'HUF'],
  ] as const)('is of an amount that the processor carries: %s, %s', async (processor, currency) => {
    const shop = await Merchant.open(processor);
    const payment = (await shop.pay({ amount: 1000, currency })).body.id;
    const open = (amount: number) =>
      shop.post(`/api/v1/test_helpers/payments/${payment}/dispute`, { amount });
    expectError(await open(150), 'invalid_params', 'amount');
    expect((await open(500)).body).toMatchObject({ amount: 500, currency });
  });
});
