import { beforeAll, describe, expect, it } from 'vitest';
import { cardPayment, freshEmail, Merchant } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

let shops: readonly [Merchant, Merchant];

beforeAll(async () => {
  const secured = ['--three-d-secure', 'enabled'];
  shops = await Promise.all([
    Merchant.open('processor_a', ...secured),
    Merchant.open('processor_b', ...secured),
  ]);
});

/** Removes values that differ between objects, and those that are specific to a processor: its name and `avs`. */
function withoutIdentity(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdentity);
  if (typeof value === 'string') return value.replace(/^([a-z]+_)[a-z0-9]{24}$/, '$1…');
  if (typeof value !== 'object' || value === null) return value;
  const { avs: _avs, provider: _provider, created, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries({ ...rest, created: typeof created }).map(([name, one]) => [name, withoutIdentity(one)]),
  );
}

/** Does the same with both processors and compares what the merchant sees. @returns the result for processor_a */
async function expectSame(work: (shop: Merchant) => Promise<unknown>): Promise<unknown> {
  const [a, b] = await Promise.all(shops.map(work));
  expect(withoutIdentity(a)).toEqual(withoutIdentity(b));
  return a;
}

const later = (shop: Merchant) => shop.post('/api/v1/test_helpers/clock/advance', { seconds: 3 });
const shown = async (shop: Merchant, path: string) => {
  const { status, body } = await shop.get(`/api/v1/${path}`);
  return { status, body };
};

/** Pays by card and returns the response, the retrieved payment and the events. */
async function pay(shop: Merchant, changes: Record<string, unknown> = {}) {
  const { status, body } = await shop.pay(changes);
  const events = (await shop.get('/api/v1/events?per_page=100')).body.data.filter(
    (event: { data: { object: { id: string } } }) => event.data.object.id === body.id,
  );
  return { status, body, retrieved: await shown(shop, `payments/${body.id}`), events };
}

describe('both processors show a merchant the same', () => {
  it('of a charged card', async () => {
    expect(await expectSame((shop) => pay(shop, { reference: 'one' }))).toMatchObject({
      status: 201,
      body: { status: 'succeeded' },
      events: [{ type: 'payment.succeeded' }],
    });
  });

  it('of a declined card', async () => {
    const card = { holder_name: 'CCREJECT-IF' };
    expect(await expectSame((shop) => pay(shop, { card }))).toMatchObject({
      status: 200,
      body: { status: 'failed', failure: { code: 'insufficient_funds' } },
    });
  });

  it('of a challenge and its end, but for the name of the action', async () => {
    await expectSame(async (shop) => {
      const { body } = await shop.pay({ authentication: 'always', card: { number: '4917610000000000' } });
      expect(body).toMatchObject({ status: 'requires_action', next_action: expect.any(Object) });
      await shop.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
      const confirmed = await shop.post(`/api/v1/payments/${body.id}/confirm`);
      expect(confirmed.body).toMatchObject({ status: 'succeeded', three_d_secure: expect.any(Object) });
      const { next_action: _action, ...rest } = body;
      return { rest, fields: Object.keys(confirmed.body).filter((name) => name !== 'avs') };
    });
  });

  it('of a card without 3-D Secure of its own where a challenge is demanded', async () => {
    await expectSame(async (shop) => {
      const { status, body } = await shop.pay({ authentication: 'always' });
      expect([status, body.status]).toEqual([201, 'requires_action']);
      await shop.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
      const { next_action: _action, ...rest } = body;
      return [rest, (await shop.post(`/api/v1/payments/${body.id}/confirm`)).body];
    });
  });

  it('of a card that cannot do 3-D Secure where it is demanded', async () => {
    const card = { number: '4868719488651967' };
    expect(await expectSame((shop) => pay(shop, { authentication: 'always', card }))).toMatchObject({
      status: 200,
      body: { status: 'failed', failure: { code: '3ds_not_available' } },
    });
  });

  it('of a connection that always asks', async () => {
    const asking = await Promise.all(
      (['processor_a', 'processor_b'] as const).map((name) =>
        Merchant.open(name, '--three-d-secure', 'always'),
      ),
    );
    const replies = await Promise.all(asking.map((shop) => shop.pay()));
    expect(replies.map(({ body }) => body.status)).toEqual(['requires_action', 'requires_action']);
  });

  it('of a card with the latest possible expiry', async () => {
    const card = { exp_year: 9999, exp_month: 12 };
    expect(await expectSame((shop) => pay(shop, { card }))).toMatchObject({
      status: 201,
      body: { status: 'succeeded', payment_method: card },
    });
  });

  it('of the last saved card, also when it was saved twice', async () => {
    await expectSame(async (shop) => {
      const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
      for (const number of ['4111111111111111', '5555555555554444', '4111111111111111']) {
        expect((await shop.pay({ customer, card: { number } })).status).toBe(201);
      }
      const { payment_method: _card, ...stored } = cardPayment({ customer, use_last_payment_method: true });
      const { status, body } = await shop.post('/api/v1/payments', stored);
      expect(body.payment_method).toMatchObject({ brand: 'visa', last4: '1111' });
      return { status, method: body.payment_method };
    });
  });

  it('of a saved card, of charging it off-session, and of removing it', async () => {
    await expectSame(async (shop) => {
      const first = await pay(shop, { customer: { email: freshEmail() } });
      const { customer, payment_method_id: method } = first.body;
      const rebilled = await shop.post('/api/v1/payments', {
        amount: 700,
        currency: 'EUR',
        customer,
        stored_payment_method: method,
        merchant_initiated: true,
        renews_payment: first.body.id,
      });
      expect(rebilled.body.status).toBe('succeeded');
      const listed = await shown(shop, `customers/${customer}/payment_methods`);
      const removed = await shop.call('DELETE', `/api/v1/payment_methods/${method}`);
      return { first, rebilled: rebilled.body, listed, removed: removed.body };
    });
  });

  it.each([{}, { note: 'SIM-REFUND-FAIL-SYNC' }, { note: 'SIM-REFUND-FAIL-ASYNC' }])(
    'of a refund with %j, but for the reason of a failure',
    async (request) => {
      await expectSame(async (shop) => {
        const { body } = await shop.pay();
        const created = await shop.post(`/api/v1/payments/${body.id}/refunds`, request);
        await later(shop);
        const settled = await until('it is settled', async () => {
          const refund = (await shop.get(`/api/v1/refunds/${created.body.id}`)).body;
          return refund.status !== 'pending' && refund;
        });
        const events = (await shop.get('/api/v1/events?per_page=100')).body.data.filter(
          (event: { data: { object: { id: string } } }) => event.data.object.id === created.body.id,
        );
        expect(events).toHaveLength(1);
        expect(events[0].data.object).toEqual(settled);
        const hasFailure = settled.failure !== null;
        expect(hasFailure).toBe('note' in request);
        return { created: { ...created.body, failure: hasFailure }, type: events[0].type };
      });
    },
  );
});

describe('avs', () => {
  const billedTo = (line1: string) => ({
    billing_address: { line1, city: 'Springfield', postal_code: '12345', state: 'CA', country: 'US' },
  });

  it.each([
    ['AVS_Y_995', '115', { code: 'Y', address: 'match', postal_code: 'match', cvc: 'match' }],
    ['AVS_A_971', '116', { code: 'A', address: 'match', postal_code: 'no_match', cvc: 'no_match' }],
    ['AVS_Z_996', '120', { code: 'Z', address: 'no_match', postal_code: 'match', cvc: 'not_checked' }],
    ['AVS_N_984', '115', { code: 'N', address: 'no_match', postal_code: 'no_match', cvc: 'match' }],
    ['AVS_U_991', '115', { code: 'U', address: 'not_checked', postal_code: 'not_checked', cvc: 'match' }],
  ])('is the verdict of the issuer on processor_b: %s with %s', async (line1, cvc, avs) => {
    const [, shop] = shops;
    const { body } = await shop.pay({ ...billedTo(line1), card: { cvc } });
    expect(body).toMatchObject({ status: 'succeeded' });
    expect(body.avs).toEqual(avs);
    expect((await shop.get(`/api/v1/payments/${body.id}`)).body.avs).toEqual(avs);
  });

  it('is present on a declined payment too, and absent where no issuer answered', async () => {
    const [a, b] = shops;
    expect((await b.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body).toHaveProperty('avs');
    expect((await a.pay(billedTo('AVS_N_984'))).body).not.toHaveProperty('avs');
    expect((await b.pay({ card: { number: '4111111111111112' } })).body).not.toHaveProperty('avs');
    expect((await b.pay({ payment_method: { type: 'processor_b' } })).body).not.toHaveProperty('avs');
  });
});
