import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant } from '../../support/merchant.ts';

const events = '/api/v1/events';
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

interface Event {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: { readonly id: string } };
}

const eventsOf = async (merchant: Merchant, id: string): Promise<Event[]> =>
  ((await merchant.get(`${events}?per_page=100`)).body.data as Event[]).filter(
    (event) => event.data.object.id === id,
  );

describe('the outcome of a payment', () => {
  it.each([
    ['payment.succeeded', 'Jane Smith'],
    ['payment.failed', 'CCREJECT-IF'],
  ])('has one event: %s', async (type, holder_name) => {
    const payment = await shop.pay({ card: { holder_name }, reference: 'ä "quoted" \u2028' });
    const found = await eventsOf(shop, payment.body.id);
    expect(found).toEqual([
      {
        id: expect.stringMatching(/^evt_[a-z0-9]{24}$/),
        object: 'event',
        type,
        created: expect.any(Number),
        livemode: false,
        sequence: 1,
        data: { object: payment.body },
      },
    ]);
  });

  it('is in its event as the same bytes that retrieve answers', async () => {
    const payment = await shop.pay({ reference: 'bytes', shopper_statement: 'Grün & Söhne' });
    const [event] = await eventsOf(shop, payment.body.id);
    const retrieved = await shop.get(`/api/v1/payments/${payment.body.id}`);
    const text = (await shop.get(`${events}/${event?.id}`)).text;
    expect(text).toContain(`"data":{"object":${retrieved.text}}`);
    expect((await shop.get(events)).text).toContain(text);
  });

  it('has one event, also for repeated requests', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    for (let repeat = 0; repeat < 4; repeat += 1) await merchant.pay({}, options);
    for (let read = 0; read < 2; read += 1) await merchant.get('/api/v1/payments');
    expect((await merchant.get(events)).body.total_count).toBe(1);
  });

  it('has a time of the account’s clock, in Unix seconds', async () => {
    const payment = await shop.pay();
    const [event] = (await shop.get(`${events}?per_page=1`)).body.data;
    expect(Number.isInteger(event.created)).toBe(true);
    expect(event.created).toBeGreaterThanOrEqual(payment.body.created);
  });
});

describe('the filter by type', () => {
  const typesOf = async (merchant: Merchant, type: string) =>
    ((await merchant.get(`${events}?type=${type}`)).body.data as Event[]).map((event) => event.type);

  it('takes a type, or a group such as payment.*, as endpoints do', async () => {
    const merchant = await Merchant.open();
    await merchant.pay();
    await merchant.pay({ card: { holder_name: 'CCREJECT-IF' } });
    const link = { title: 'Mug', currency: 'EUR', amount: 500 };
    expect((await merchant.post('/api/v1/payment_links', link)).status).toBe(201);
    expect(await typesOf(merchant, 'payment.*')).toEqual(['payment.failed', 'payment.succeeded']);
    expect(await typesOf(merchant, 'payment.failed')).toEqual(['payment.failed']);
    expect(await typesOf(merchant, 'payment_link.*')).toEqual(['payment_link.created']);
    expect(await typesOf(merchant, 'refund.*')).toEqual([]);
  });

  it.each(['payment', '*', '.*', 'pay.*', 'payment.%'])('takes %s for no group', async (type) => {
    expect(await typesOf(shop, encodeURIComponent(type))).toEqual([]);
  });
});

describe('no event', () => {
  it('is written for refusals, customers and reads', async () => {
    const merchant = await Merchant.open();
    await merchant.pay({ amount: 0 });
    await merchant.pay({ customer: 'cus_nobody' });
    const customer = (await merchant.post('/api/v1/customers', { email: freshEmail() })).body.id;
    await merchant.call('PATCH', `/api/v1/customers/${customer}`, { body: { name: 'x' } });
    await merchant.get('/api/v1/payments');
    expect((await merchant.get(events)).body.total_count).toBe(0);
  });
});

describe('the event log', () => {
  it('can be filtered by type', async () => {
    const merchant = await Merchant.open();
    await merchant.pay();
    await merchant.pay({ card: { holder_name: 'DECLINED' } });
    await merchant.pay();
    const failed = (await merchant.get(`${events}?type=payment.failed`)).body;
    expect(failed).toMatchObject({ total_count: 1, has_more: false, data: [{ type: 'payment.failed' }] });
    const succeeded = (await merchant.get(`${events}?type=payment.succeeded&per_page=1`)).body;
    expect(succeeded).toMatchObject({ total_count: 2, has_more: true });
    const unknown = (await merchant.get(`${events}?type=payment.exploded`)).body;
    expect(unknown).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
  });

  it('answers 404 for an unknown event', async () => {
    for (const id of ['evt_000000000000000000000000', 'x', "evt_'--"]) {
      expectError(await shop.get(`${events}/${id}`), 'not_found');
    }
  });

  it('cannot be changed', async () => {
    const [event] = (await shop.get(events)).body.data;
    expectError(await shop.call('DELETE', `${events}/${event.id}`), 'method_not_allowed');
    expectError(await shop.post(events, {}), 'method_not_allowed');
  });
});
