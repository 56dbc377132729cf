import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant, till } from '../../support/merchant.ts';

const payments = '/api/v1/payments';
const customers = '/api/v1/customers';

let shop: Merchant;
let other: Merchant;

beforeAll(async () => {
  [shop, other] = await Promise.all([Merchant.open(), Merchant.open()]);
});

const chargesOf = async (merchant: Merchant, id: string) =>
  (await merchant.ledger()).charges.filter((charge) => charge.reference === id);

describe('the same key and the same body', () => {
  it.each([
    ['payment', 201, payments, () => cardPayment({ reference: 'replayed' })],
    ['decline', 200, payments, () => cardPayment({ card: { holder_name: 'CCREJECT-REFUSED' } })],
    ['customer', 201, customers, () => ({ email: freshEmail() })],
  ])('replays a %s byte for byte', async (_name, status, path, makeBody) => {
    const options = { idempotencyKey: randomUUID() };
    const body = makeBody();
    const first = await shop.post(path, body, options);
    expect(first.status).toBe(status);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await shop.post(path, body, options);
      expect(again.status).toBe(status);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('service-request-id')).not.toBe(first.headers.get('service-request-id'));
    }
  });

  it('charges once', async () => {
    const options = { idempotencyKey: randomUUID() };
    const first = await shop.pay({}, options);
    await shop.pay({}, options);
    expect(await chargesOf(shop, first.body.id)).toHaveLength(1);
  });

  it('is the same body in another order of fields and with other white space', async () => {
    const options = { idempotencyKey: randomUUID() };
    const body = cardPayment({ amount: 1500 });
    const first = await shop.post(payments, body, options);
    const turned = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
    const again = await shop.call('POST', payments, {
      ...options,
      raw: turned.replace('"amount": 1500', '"amount": 1500.0'),
    });
    expect(again.text).toBe(first.text);
  });

  it('is the same body where it means nothing, as of a void: an empty one, and an object in any order', async () => {
    const holding = await Merchant.open('processor_b', '--three-d-secure', 'off');
    for (const [body, repeated] of [
      ['', '{}'],
      ['{"a":1,"b":2}', '{"b":2, "a":1}'],
    ] as const) {
      const { id } = (await holding.pay({ capture_method: 'manual' })).body;
      const options = { idempotencyKey: randomUUID() };
      const first = await holding.call('POST', `${payments}/${id}/void`, { ...options, raw: body });
      const again = await holding.call('POST', `${payments}/${id}/void`, { ...options, raw: repeated });
      expect([first.status, again.text]).toEqual([200, first.text]);
    }
  });

  it('charges once for 40 requests at the same time, and answers all with the same bytes', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const replies = await Promise.all(Array.from({ length: 40 }, () => merchant.pay({}, options)));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    const originals = replies.filter((reply) => reply.headers.get('idempotent-replayed') !== 'true');
    expect(originals).toHaveLength(1);
    expect((await merchant.ledger()).charges).toHaveLength(1);
    expect((await merchant.get(payments)).body.total_count).toBe(1);
    expect((await merchant.get('/api/v1/events')).body.total_count).toBe(1);
  });

  it('creates one customer for 40 requests at the same time', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const body = { email: freshEmail() };
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => merchant.post(customers, body, options)),
    );
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size).toBe(1);
    expect((await merchant.get(customers)).body.total_count).toBe(1);
  });
});

describe('the same key and another body', () => {
  it.each([
    ['another amount', { amount: 1 }],
    ['another card number', { card: { number: '5555555555554444' } }],
    ['another security code', { card: { cvc: '738' } }],
    ['one unknown field more', { x_unknown: 1 }],
    ['a null field more', { reference: null }],
    ['a body that is not valid', { amount: 'free' }],
  ])('is key_reused: %s', async (_name, changes) => {
    const options = { idempotencyKey: randomUUID() };
    const first = await shop.pay({}, options);
    expectError(await shop.pay(changes, options), 'key_reused');
    expect((await shop.pay({}, options)).text).toBe(first.text);
  });

  it('is key_reused on customers', async () => {
    const options = { idempotencyKey: randomUUID() };
    await shop.post(customers, { email: freshEmail() }, options);
    expectError(await shop.post(customers, { email: freshEmail() }, options), 'key_reused');
  });
});

describe('the scope of a key', () => {
  it('is one path', async () => {
    const options = { idempotencyKey: randomUUID() };
    expect((await shop.pay({}, options)).status).toBe(201);
    expect((await shop.post(customers, { email: freshEmail() }, options)).status).toBe(201);
  });

  it('is one account', async () => {
    const options = { idempotencyKey: randomUUID() };
    const ours = await shop.pay({}, options);
    const theirs = await other.pay({ amount: 77 }, options);
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(ours.body.id);
  });

  it('is one mode', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const sandbox = await merchant.pay({}, options);
    await till('accounts', 'update', merchant.id, '--environment', 'live', '--activation', 'active');
    const { secret_key: key } = await till<{ secret_key: string }>(
      'keys',
      'create',
      '--account',
      merchant.id,
    );
    const live = await merchant.pay({ amount: 77 }, { ...options, key });
    expect(live.status).toBe(201);
    expect(live.body.id).not.toBe(sandbox.body.id);
  });

  it('is shared by the keys of one account', async () => {
    const options = { idempotencyKey: randomUUID() };
    const first = await shop.pay({}, options);
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    expect((await shop.pay({}, { ...options, key })).text).toBe(first.text);
  });
});

describe('the same key with two bodies at the same moment', () => {
  it('answers one of them, also where nothing is left to do', async () => {
    const merchant = await Merchant.open('processor_b', '--three-d-secure', 'off');
    const { id } = (
      await merchant.pay({ payment_method: { type: 'card_fields' }, description: 'SIM-CARDFIELDS-APPROVE' })
    ).body;
    const path = `${payments}/${id}/confirm`;
    expect((await merchant.post(path)).body.status).toBe('succeeded');
    for (let round = 0; round < 5; round += 1) {
      const options = { idempotencyKey: randomUUID() };
      const replies = await Promise.all(
        ['{"n":1}', '{"n":2}'].map((raw) => merchant.call('POST', path, { ...options, raw })),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }
  });
});

describe('24 hours', () => {
  // The command that moves the clock takes part of a second itself, so the margin is wider than a second.
  const margin = 60;

  it('replays shortly before they end and is a new request afterwards', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const first = await merchant.pay({}, options);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(24 * 3600 - margin));
    const replayed = await merchant.pay({}, options);
    expect(replayed.text).toBe(first.text);
    expectError(await merchant.pay({ amount: 1 }, options), 'key_reused');

    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(margin));
    const renewed = await merchant.pay({ amount: 1 }, options);
    expect(renewed.status).toBe(201);
    expect(renewed.body.id).not.toBe(first.body.id);
    expect(renewed.headers.get('idempotent-replayed')).toBeNull();
    expect(renewed.body.created - first.body.created).toBeGreaterThanOrEqual(24 * 3600);
    expect((await merchant.ledger()).charges).toHaveLength(2);
    expect((await merchant.pay({ amount: 1 }, options)).text).toBe(renewed.text);
  });

  it('later a confirm that has nothing left to do has its key anew', async () => {
    const merchant = await Merchant.open('processor_b');
    const wallet = {
      payment_method: { type: 'processor_b' },
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
    };
    const { body: payment } = await merchant.pay({ ...wallet, capture_method: 'manual' });
    await merchant.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, {});
    const options = { idempotencyKey: randomUUID() };
    const confirm = (raw: string) =>
      merchant.call('POST', `${payments}/${payment.id}/confirm`, { ...options, raw });
    expect((await confirm('{"n":1}')).body.status).toBe('authorized');
    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(24 * 3600));

    const renewed = await confirm('{"n":2}');
    expect(renewed.body.status).toBe('authorized');
    expect(renewed.headers.get('idempotent-replayed')).toBeNull();
    await merchant.post(`${payments}/${payment.id}/capture`, {});
    const again = await confirm('{"n":2}');
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([renewed.text, 'true']);
    expectError(await confirm('{"n":1}'), 'key_reused');
  });
});

describe('the header', () => {
  it('is required on payments', async () => {
    expectError(await shop.pay({}, { idempotencyKey: null }), 'missing_idempotency_key');
    expectError(await shop.pay({}, { idempotencyKey: '' }), 'missing_idempotency_key');
  });

  it('is optional on customers, and an empty one counts as none', async () => {
    const email = freshEmail();
    expect((await shop.post(customers, { email }, { idempotencyKey: null })).status).toBe(201);
    expectError(
      await shop.post(customers, { email }, { idempotencyKey: null }),
      'customer_email_taken',
      'email',
    );
    expect((await shop.post(customers, { email: freshEmail() }, { idempotencyKey: '' })).status).toBe(201);
  });

  it('has at most 255 characters', async () => {
    const prefix = randomUUID();
    const longest = prefix.padEnd(255, 'k');
    const first = await shop.pay({}, { idempotencyKey: longest });
    expect(first.status).toBe(201);
    expect((await shop.pay({}, { idempotencyKey: longest })).text).toBe(first.text);
    expectError(await shop.pay({}, { idempotencyKey: `${longest}k` }), 'invalid_params');
    const onCustomers = await shop.post(
      customers,
      { email: freshEmail() },
      { idempotencyKey: `${longest}k` },
    );
    expectError(onCustomers, 'invalid_params');
  });

  it('is not used by GET', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(300) };
    const reply = await shop.call('GET', customers, { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('a refusal', () => {
  it.each<[string, string, Record<string, unknown>, () => Record<string, unknown>]>([
    ['invalid_params', payments, cardPayment({ amount: 0 }), () => cardPayment()],
    ['missing_field', payments, cardPayment({ currency: undefined }), () => cardPayment()],
    ['provider_not_configured', payments, cardPayment({ provider: 'processor_b' }), () => cardPayment()],
    ['customer_not_found', payments, cardPayment({ customer: 'cus_nobody' }), () => cardPayment()],
    ['invalid_params', customers, { email: 'nobody' }, () => ({ email: freshEmail() })],
  ])(
    'is not stored, so the corrected body may use the same key: %s on %s',
    async (code, path, wrong, right) => {
      const options = { idempotencyKey: randomUUID() };
      expectError(await shop.post(path, wrong, options), code);
      expectError(await shop.post(path, wrong, options), code);
      const corrected = await shop.post(path, right(), options);
      expect(corrected.status).toBe(201);
      expect(corrected.headers.get('idempotent-replayed')).toBeNull();
    },
  );

  it('of malformed JSON is not stored either', async () => {
    const options = { idempotencyKey: randomUUID() };
    expectError(await shop.call('POST', payments, { ...options, raw: '{' }), 'missing_field');
    expect((await shop.pay({}, options)).status).toBe(201);
  });

  it('for a taken e-mail address is not stored: the same key works once it is free', async () => {
    const email = freshEmail();
    const first = await shop.post(customers, { email });
    const options = { idempotencyKey: randomUUID() };
    expectError(await shop.post(customers, { email }, options), 'customer_email_taken');
    await shop.call('PATCH', `${customers}/${first.body.id}`, { body: { email: freshEmail() } });
    expect((await shop.post(customers, { email }, options)).status).toBe(201);
  });
});
