import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const processors = ['processor_a', 'processor_b'] as const;

const paid = async (shop: Merchant, amount = 1000) => (await shop.pay({ amount })).body;
const refund = (shop: Merchant, payment: { id: string }, body?: object, idempotencyKey?: string) =>
  shop.post(
    `/api/v1/payments/${payment.id}/refunds`,
    body,
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
const eventsOf = async (shop: Merchant, id: string) => {
  const { body } = await shop.get('/api/v1/events?per_page=100');
  return body.data.filter((event: { data: { object: { id: string } } }) => event.data.object.id === id);
};
const typesOf = async (shop: Merchant, id: string): Promise<string[]> =>
  (await eventsOf(shop, id)).map((event: { type: string }) => event.type).toReversed();
/** Moves the account's clock a little, so that the simulated processor sends the notifications that are due by then. */
const later = (shop: Merchant, seconds = 3) => shop.post('/api/v1/test_helpers/clock/advance', { seconds });
const read = async (shop: Merchant, created: Reply) =>
  (await shop.get(`/api/v1/refunds/${created.body.id}`)).body;

/** Creates a refund and settles it with the test helper before it settles by itself a second later. */
async function settledAtOnce(shop: Merchant, outcome: string) {
  for (let round = 1; ; round += 1) {
    const payment = await paid(shop);
    const created = await refund(shop, payment);
    expect(created.body.status).toBe('pending');
    const settled = await shop.post(`/api/v1/test_helpers/refunds/${created.body.id}/settle`, { outcome });
    // On a stalled machine the refund had already settled, which shows nothing about the helper.
    if (settled.status !== 422 || round === 5) return { payment, created, settled };
  }
}

describe.each(processors)('refunds on %s', (processor) => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open(processor);
  });

  it('refund the whole payment without an amount', async () => {
    const payment = await paid(shop);
    const created = await refund(shop, payment);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^re_[a-z0-9]{24}$/),
      object: 'refund',
      payment: payment.id,
      amount: 1000,
      currency: 'EUR',
      status: 'pending',
      reason: null,
      note: null,
      failure: null,
      metadata: {},
      livemode: false,
      created: expect.any(Number),
    });
    await later(shop);
    expect(await read(shop, created)).toEqual({ ...created.body, status: 'succeeded' });
    expect(await typesOf(shop, created.body.id)).toEqual(['refund.succeeded']);
    const [event] = await eventsOf(shop, created.body.id);
    expect(event.data.object).toEqual({ ...created.body, status: 'succeeded' });
    expect((await shop.ledger()).refunds).toContainEqual({
      reference: created.body.id,
      payment_reference: payment.id,
      amount: 1000,
      currency: 'EUR',
      status: 'succeeded',
    });
    expect((await shop.get(`/api/v1/payments/${payment.id}`)).body.status).toBe('succeeded');
  });

  it('settle by themselves about a second later', async () => {
    const created = await refund(shop, await paid(shop));
    await until('the refund is settled', async () => (await read(shop, created)).status === 'succeeded');
  });

  it('keep reason, note and metadata', async () => {
    const fields = {
      amount: 250,
      reason: 'requested_by_customer',
      note: 'Came back öpened',
      metadata: { order: '1001', clerk: 'ü' },
    };
    const created = await refund(shop, await paid(shop), fields);
    expect(created.body).toMatchObject(fields);
    expect(await read(shop, created)).toMatchObject(fields);
  });

  it('take partial amounts until nothing is left', async () => {
    const payment = await paid(shop);
    await refund(shop, payment, { amount: 400 });
    expectError(await refund(shop, payment, { amount: 601 }), 'amount_invalid', 'amount');
    expect((await refund(shop, payment)).body).toMatchObject({ amount: 600 });
    expectError(await refund(shop, payment), 'amount_invalid');
    expectError(await refund(shop, payment, { amount: 1 }), 'amount_invalid', 'amount');
  });

  it('replay under their key, and refuse another body', async () => {
    const payment = await paid(shop);
    // A refund that waits for the helper, so that the list shows it unchanged from the first response.
    const body = { amount: 100, note: 'SIM-REFUND-PENDING' };
    const first = await refund(shop, payment, body, `again-${processor}`);
    const second = await refund(shop, payment, body, `again-${processor}`);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expectError(await refund(shop, payment, { ...body, amount: 101 }, `again-${processor}`), 'key_reused');
    const list = await shop.get(`/api/v1/payments/${payment.id}/refunds`);
    expect(list.body).toEqual({ object: 'list', data: [first.body], has_more: false, total_count: 1 });
  });

  it('are listed newest first, in pages', async () => {
    const payment = await paid(shop);
    const ids: string[] = [];
    for (const amount of [10, 20, 30]) ids.unshift((await refund(shop, payment, { amount })).body.id);
    const page = async (query: string) =>
      (await shop.get(`/api/v1/payments/${payment.id}/refunds${query}`)).body;
    const first = await page('?per_page=2');
    expect(first.data.map((one: { id: string }) => one.id)).toEqual(ids.slice(0, 2));
    expect(first).toMatchObject({ has_more: true, total_count: 3 });
    const second = await page('?per_page=2&page=2');
    expect(second.data.map((one: { id: string }) => one.id)).toEqual(ids.slice(2));
    expect(second).toMatchObject({ has_more: false, total_count: 3 });
    expectError(
      await shop.get(`/api/v1/payments/${payment.id}/refunds?per_page=101`),
      'invalid_params',
      'per_page',
    );
  });

  it('that the processor refuses at once are 201 failed, and give their amount back', async () => {
    const payment = await paid(shop);
    const created = await refund(shop, payment, { note: 'SIM-REFUND-FAIL-SYNC' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      status: 'failed',
      failure: { code: 'refund_not_allowed', message: expect.stringMatching(/\S/) },
    });
    expect(await typesOf(shop, created.body.id)).toEqual(['refund.failed']);
    expect((await refund(shop, payment)).body).toMatchObject({ status: 'pending', amount: 1000 });
  });

  it('that the processor rejects later fail, and give their amount back', async () => {
    const payment = await paid(shop);
    const created = await refund(shop, payment, { note: 'SIM-REFUND-FAIL-ASYNC' });
    expect(created.body.status).toBe('pending');
    await later(shop);
    expect(await read(shop, created)).toMatchObject({
      status: 'failed',
      failure: { code: expect.any(String) },
    });
    expect(await typesOf(shop, created.body.id)).toEqual(['refund.failed']);
    expect((await refund(shop, payment)).body.amount).toBe(1000);
  });

  it('that the scheme takes back fail after they had succeeded', async () => {
    const payment = await paid(shop);
    const created = await refund(shop, payment, { note: 'SIM-REFUND-REVERSED' });
    await later(shop);
    expect((await read(shop, created)).status).toBe('succeeded');
    expectError(await refund(shop, payment), 'amount_invalid');
    await later(shop, 20);
    expect((await read(shop, created)).status).toBe('failed');
    expect(await typesOf(shop, created.body.id)).toEqual(['refund.succeeded', 'refund.failed']);
    expect((await refund(shop, payment)).body.amount).toBe(1000);
  });

  it.each([
    ['SIM-REFUND-502', 502, 'provider_error'],
    ['SIM-REFUND-TIMEOUT', 503, 'provider_unavailable'],
  ])(
    'of which the processor gives no answer (%s) stay pending and happen once',
    async (note, status, code) => {
      const payment = await paid(shop);
      const key = `${note}-${processor}`;
      const first = await refund(shop, payment, { note }, key);
      expect(first.status).toBe(status);
      expectError(first, code);
      const waiting = (await shop.get(`/api/v1/payments/${payment.id}/refunds`)).body;
      expect(waiting).toMatchObject({ total_count: 1, data: [{ status: 'pending', amount: 1000 }] });
      expectError(await refund(shop, payment), 'amount_invalid');
      const second = await refund(shop, payment, { note }, key);
      expect(second.status).toBe(201);
      expect(second.body.id).toBe(waiting.data[0].id);
      await later(shop);
      expect((await read(shop, second)).status).toBe('succeeded');
      const { refunds } = await shop.ledger();
      expect(refunds.filter((one) => one.payment_reference === payment.id)).toHaveLength(1);
    },
  );

  it('wait until they are settled by the test helper', async () => {
    const created = await refund(shop, await paid(shop), { note: 'SIM-REFUND-PENDING' });
    await later(shop, 3600);
    expect((await read(shop, created)).status).toBe('pending');
    const settled = await shop.post(`/api/v1/test_helpers/refunds/${created.body.id}/settle`, {
      outcome: 'succeeded',
    });
    expect(settled.status).toBe(200);
    expect(settled.body).toEqual({ ...created.body, status: 'succeeded' });
    expectError(
      await shop.post(`/api/v1/test_helpers/refunds/${created.body.id}/settle`, { outcome: 'failed' }),
      'invalid_params',
    );
  });

  it.each(['succeeded', 'failed'])(
    'are settled as %s by the test helper right after they were made',
    async (outcome) => {
      const { payment, created, settled } = await settledAtOnce(shop, outcome);
      expect([settled.status, settled.body.status]).toEqual([200, outcome]);
      await later(shop, 60);
      expect(await read(shop, created)).toEqual(settled.body);
      const again = await shop.post(`/api/v1/test_helpers/refunds/${created.body.id}/settle`, { outcome });
      expect([again.status, again.text]).toEqual([200, settled.text]);
      expect(await typesOf(shop, created.body.id)).toEqual([`refund.${outcome}`]);
      const { refunds } = await shop.ledger();
      expect(refunds.filter((one) => one.payment_reference === payment.id)).toMatchObject([
        { status: outcome },
      ]);
    },
  );

  it('can be failed by the test helper', async () => {
    const created = await refund(shop, await paid(shop), { note: 'SIM-REFUND-PENDING' });
    const settled = await shop.post(`/api/v1/test_helpers/refunds/${created.body.id}/settle`, {
      outcome: 'failed',
    });
    expect(settled.body).toMatchObject({ status: 'failed', failure: { code: expect.any(String) } });
  });

  it('never exceed the payment, however many come at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const payment = await paid(shop);
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => refund(shop, payment, { amount: 300 })),
      );
      const created = replies.filter((reply) => reply.status === 201);
      expect(created).toHaveLength(3);
      for (const reply of replies) if (reply.status !== 201) expectError(reply, 'amount_invalid');
    }
    const totals = new Map<string, number>();
    for (const one of (await shop.ledger()).refunds) {
      if (one.status === 'failed') continue;
      totals.set(one.payment_reference, (totals.get(one.payment_reference) ?? 0) + one.amount);
    }
    expect([...totals.values()].filter((total) => total > 1000)).toEqual([]);
  });

  it('with a key older than 24 hours are new requests', async () => {
    const payment = await paid(shop);
    const key = `day-old-${processor}`;
    await refund(shop, payment, {}, key);
    await later(shop, 24 * 3600 + 5);
    expectError(await refund(shop, payment, {}, key), 'amount_invalid');
  });

  it('of the whole rest concurrently: one succeeds', async () => {
    const payment = await paid(shop);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refund(shop, payment)));
    expect(replies.filter((reply) => reply.status === 201).map((reply) => reply.body.amount)).toEqual([1000]);
  });
});
