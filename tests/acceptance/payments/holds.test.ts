import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

const hold = async (changes: Record<string, unknown> = {}) =>
  (await shop.pay({ capture_method: 'manual', ...changes })).body;
const day = 24 * 3600;

describe('holding funds on processor_b', () => {
  it('authorizes with both deadlines and moves no money', async () => {
    const reply = await shop.pay({ capture_method: 'manual', amount: 2000 });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'authorized',
      capture_method: 'manual',
      amount: 2000,
      failure: null,
    });
    const created = reply.body.created;
    const seconds = (text: string) => Date.parse(text) / 1000;
    expect(reply.body.authorization_guaranteed_until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(seconds(reply.body.authorization_guaranteed_until) - created).toBeGreaterThanOrEqual(3 * day - 2);
    expect(seconds(reply.body.authorization_guaranteed_until) - created).toBeLessThanOrEqual(3 * day + 5);
    expect(Math.abs(seconds(reply.body.authorization_expires) - created - 29 * day)).toBeLessThanOrEqual(5);
    const { charges } = await shop.ledger();
    expect(charges).toContainEqual({
      reference: reply.body.id,
      amount: 2000,
      currency: 'EUR',
      status: 'authorized',
    });
  });

  it('captures the whole amount once and keeps the deadlines', async () => {
    const payment = await hold();
    const captured = await shop.post(`/api/v1/payments/${payment.id}/capture`);
    expect(captured.status).toBe(200);
    expect(captured.body).toEqual({ ...payment, status: 'succeeded' });
    const again = await shop.post(`/api/v1/payments/${payment.id}/capture`);
    expect(again.status).toBe(422);
    expect(again.body.error.code).toBe('invalid_params');
    const { charges } = await shop.ledger();
    expect(charges.filter(({ reference }) => reference === payment.id)).toEqual([
      { reference: payment.id, amount: payment.amount, currency: 'EUR', status: 'captured' },
    ]);
  });

  it('checks of a capture in order: payment, fields, state', async () => {
    const declined = (await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body;
    const bad = { amount: 'all' };
    expectError(await shop.post('/api/v1/payments/pay_000000000000000000000000/capture', bad), 'not_found');
    expectError(await shop.post(`/api/v1/payments/${declined.id}/capture`, bad), 'invalid_params', 'amount');
    expectError(await shop.post(`/api/v1/payments/${declined.id}/capture`), 'invalid_params');
  });

  it('replays a capture under the same key', async () => {
    const payment = await hold();
    const first = await shop.post(`/api/v1/payments/${payment.id}/capture`, undefined, {
      idempotencyKey: 'capture-1',
    });
    const second = await shop.post(`/api/v1/payments/${payment.id}/capture`, undefined, {
      idempotencyKey: 'capture-1',
    });
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('voids: no money moved, and nothing can be captured or voided after', async () => {
    const payment = await hold();
    const voided = await shop.post(`/api/v1/payments/${payment.id}/void`);
    expect(voided.status).toBe(200);
    expect(voided.body).toEqual({ ...payment, status: 'voided' });
    expect((await shop.post(`/api/v1/payments/${payment.id}/capture`)).status).toBe(422);
    expect((await shop.post(`/api/v1/payments/${payment.id}/void`)).status).toBe(422);
    const { charges } = await shop.ledger();
    expect(charges.find(({ reference }) => reference === payment.id)?.status).toBe('voided');
  });

  it.each(['capture', 'void'])('refuses %s of a payment that is not authorized', async (operation) => {
    const { body } = await shop.pay();
    expect(body.status).toBe('succeeded');
    const reply = await shop.post(`/api/v1/payments/${body.id}/${operation}`);
    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({ type: 'validation_error', code: 'invalid_params' });
  });

  it('omits the guarantee where the processor does not report it', async () => {
    const payment = await hold({ description: 'SIM-HOLD-NO-GUARANTEE' });
    expect(payment).not.toHaveProperty('authorization_guaranteed_until');
    expect(payment).toHaveProperty('authorization_expires');
  });

  it('is not offered on processor_a', async () => {
    const other = await Merchant.open();
    const reply = await other.pay({ capture_method: 'manual' });
    expect(reply.status).toBe(422);
    expect(reply.body.error.param).toBe('capture_method');
  });
});

describe('deadlines of a hold', () => {
  it('lets the issuer decline a capture after the guarantee: HTTP 200, failed, one event', async () => {
    const payment = await hold({ description: 'SIM-HOLD-GUARANTEE-PASSED' });
    const captured = await shop.post(`/api/v1/payments/${payment.id}/capture`);
    expect(captured.status).toBe(200);
    expect(captured.body).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
    await until('the hold is released', async () => {
      const { charges } = await shop.ledger();
      return charges.find(({ reference }) => reference === payment.id)?.status === 'voided';
    });
    const events = await shop.get('/api/v1/events?type=payment.failed');
    expect(
      events.body.data.filter(
        (event: { data: { object: { id: string } } }) => event.data.object.id === payment.id,
      ),
    ).toHaveLength(1);
  });

  it('refuses capture and allows void once the 29 days are over', async () => {
    const later = await Merchant.open('processor_b');
    const { body: payment } = await later.pay({ capture_method: 'manual' });
    await till('clock', 'advance', '--account', later.id, '--seconds', String(30 * day));
    const captured = await later.post(`/api/v1/payments/${payment.id}/capture`);
    expect(captured.status).toBe(422);
    expect((await later.get(`/api/v1/payments/${payment.id}`)).body.status).toBe('authorized');
    const voided = await later.post(`/api/v1/payments/${payment.id}/void`);
    expect(voided.status).toBe(200);
    expect(voided.body.status).toBe('voided');
  });
});

describe('concurrent capture and void', () => {
  it('one wins, the other gets 422, and the processor carried out one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const payment = await hold();
      const [captured, voided] = await Promise.all([
        shop.post(`/api/v1/payments/${payment.id}/capture`),
        shop.post(`/api/v1/payments/${payment.id}/void`),
      ]);
      expect([captured.status, voided.status].sort()).toEqual([200, 422]);
      const expected = captured.status === 200 ? 'captured' : 'voided';
      const { charges } = await shop.ledger();
      expect(charges.find(({ reference }) => reference === payment.id)?.status).toBe(expected);
    }
  });
});
