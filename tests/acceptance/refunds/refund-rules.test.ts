import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till } from '../../support/merchant.ts';

const paid = async (shop: Merchant) => (await shop.pay({ amount: 1000 })).body;
const refund = (shop: Merchant, payment: { id: string }, body?: object) =>
  shop.post(`/api/v1/payments/${payment.id}/refunds`, body);

describe('a refund request', () => {
  let shop: Merchant;
  let payment: { id: string };
  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
    payment = await paid(shop);
  });

  it('needs a key', async () => {
    expectError(
      await shop.post(`/api/v1/payments/${payment.id}/refunds`, {}, { idempotencyKey: null }),
      'missing_idempotency_key',
    );
  });

  it.each([
    [{ amount: 0 }, 'amount_invalid'],
    [{ amount: 1.5 }, 'amount_invalid'],
    [{ amount: '50' }, 'amount_invalid'],
    [{ amount: true }, 'amount_invalid'],
    [{ reason: 'because' }, 'invalid_params'],
    [{ note: 'n'.repeat(501) }, 'invalid_params'],
    [{ metadata: [] }, 'metadata_invalid'],
    [{ metadata: { a: 1 } }, 'metadata_invalid'],
    [{ metadata: { 'a\r\nb': 1 } }, 'metadata_invalid'],
    [{ amount: '\0' }, 'amount_invalid'],
    [{ metadata: { a: 'a\0b' } }, 'metadata_invalid'],
    [{ metadata: { 'a\0b': 'v' } }, 'metadata_invalid'],
    [{ metadata: { a: '\ud800' } }, 'metadata_invalid'],
    [{ metadata: { a: 'é'.repeat(251) } }, 'metadata_invalid'],
    [{ metadata: { ['é'.repeat(51)]: 'v' } }, 'metadata_invalid'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) },
      'metadata_invalid',
    ],
  ])('%j is %s', async (body, code) => {
    const reply = await refund(shop, payment, body);
    expectError(reply, code);
    expect(reply.body.error.param).toMatch(new RegExp(`^${Object.keys(body)[0]}(\\.|$)`));
  });

  it.each([
    ['processor_a', 'IDR'],
    ['processor_b', 'HUF'],
  ] as const)('on %s must be an amount of %s that the processor can count', async (processor, currency) => {
    const other = await Merchant.open(processor);
    const { body } = await other.pay({ amount: 100_000, currency });
    expectError(await refund(other, body, { amount: 150 }), 'amount_invalid', 'amount');
    expect((await refund(other, body)).body).toMatchObject({ status: 'pending', amount: 100_000 });
  });

  it('may bring metadata up to its limits', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(100, 'k'), 'é'.repeat(250)]),
    );
    expect((await refund(shop, payment, { amount: 1, metadata })).body.metadata).toEqual(metadata);
  });

  it('may have line breaks in the keys of metadata, and shows them', async () => {
    const metadata = { 'a\nb': 'one', 'c\u2028d': 'two', plain: 'three' };
    const { body } = await refund(shop, payment, { amount: 1, metadata });
    expect(body.metadata).toEqual(metadata);
    const { data } = (await shop.get(`/api/v1/payments/${payment.id}/refunds`)).body;
    expect(data[0].metadata).toEqual(metadata);
  });

  it.each(['duplicate', 'fraudulent', 'requested_by_customer', 'other'])(
    'may name the reason %s, and bring a note of 500 characters',
    async (reason) => {
      const fields = { amount: 1, reason, note: 'n'.repeat(500) };
      expect((await refund(shop, payment, fields)).body).toMatchObject(fields);
    },
  );

  it('needs a succeeded payment', async () => {
    const held = (await shop.pay({ capture_method: 'manual' })).body;
    expectError(await refund(shop, held, { amount: 1 }), 'payment_not_refundable');
    const declined = (await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body;
    expectError(await refund(shop, declined), 'payment_not_refundable');
    await shop.post(`/api/v1/payments/${held.id}/capture`);
    expect((await refund(shop, held)).status).toBe(201);
    const waiting = (await shop.pay({ payment_method: { type: 'processor_b' } })).body;
    expectError(await refund(shop, waiting), 'payment_not_refundable');
    const voided = (await shop.pay({ capture_method: 'manual' })).body;
    await shop.post(`/api/v1/payments/${voided.id}/void`);
    expectError(await refund(shop, voided), 'payment_not_refundable');
  });

  it('is checked in order: key, payment, fields, state', async () => {
    const path = '/api/v1/payments/pay_000000000000000000000000/refunds';
    const bad = { reason: 'because' };
    expectError(await shop.post(path, bad, { idempotencyKey: null }), 'missing_idempotency_key');
    expectError(await shop.call('POST', path, { raw: '{' }), 'missing_field');
    expectError(await shop.post(path, bad), 'not_found');
    const declined = (await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body;
    expectError(await refund(shop, declined, bad), 'invalid_params', 'reason');
    expectError(await refund(shop, declined, { amount: 0 }), 'amount_invalid', 'amount');
    expectError(await refund(shop, declined, { amount: 1 }), 'payment_not_refundable');
  });

  it('sent ten times concurrently under one key refunds once', async () => {
    const once = await paid(shop);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        shop.post(`/api/v1/payments/${once.id}/refunds`, { amount: 100 }, { idempotencyKey: 'ten-times' }),
      ),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    const { refunds } = await shop.ledger();
    expect(refunds.filter((one) => one.payment_reference === once.id)).toHaveLength(1);
  });

  it('of another merchant’s or an unknown payment is 404, as are their refunds', async () => {
    const stranger = await Merchant.open('processor_b');
    const created = await refund(shop, payment, { amount: 1 });
    expectError(await refund(stranger, payment, { amount: 1 }), 'not_found');
    expectError(await stranger.get(`/api/v1/payments/${payment.id}/refunds`), 'not_found');
    expectError(await stranger.get(`/api/v1/refunds/${created.body.id}`), 'not_found');
    expectError(await shop.get('/api/v1/refunds/re_000000000000000000000000'), 'not_found');
    expectError(await refund(shop, { id: 'pay_000000000000000000000000' }), 'not_found');
  });
});

describe('the test helper that settles a refund', () => {
  it('does not exist for a live key', async () => {
    const live = await Merchant.open('processor_a', '--environment', 'live');
    await till('accounts', 'update', live.id, '--activation', 'active');
    const created = await refund(live, await paid(live), { note: 'SIM-REFUND-PENDING' });
    expect(created.body).toMatchObject({ status: 'pending', livemode: true });
    const path = `/api/v1/test_helpers/refunds/${created.body.id}/settle`;
    expectError(await live.post(path, { outcome: 'succeeded' }), 'not_found');
    expect((await live.get(`/api/v1/refunds/${created.body.id}`)).body.status).toBe('pending');
  });
});
