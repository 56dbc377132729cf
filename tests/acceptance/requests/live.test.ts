import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

const payments = '/api/v1/payments';

/** Opens a live account. Without `activation` it keeps the initial activation. */
async function openLive(activation?: string): Promise<Merchant> {
  const merchant = await Merchant.open('processor_a', '--environment', 'live');
  if (activation !== undefined) await activate(merchant, activation);
  return merchant;
}

const activate = (merchant: Merchant, activation: string) =>
  till('accounts', 'update', merchant.id, '--activation', activation);

describe('a live account that is not activated', () => {
  it('gets a live key and processing_not_enabled for payments', async () => {
    const merchant = await openLive();
    expect(merchant.key).toMatch(/^sk_live_/);
    expectError(await merchant.pay(), 'processing_not_enabled');
    expect((await merchant.ledger()).charges).toEqual([]);
    expect((await merchant.get(payments)).body.total_count).toBe(0);
  });

  it('gets that before errors of fields, references and the connection', async () => {
    const merchant = await openLive();
    await till('accounts', 'update', merchant.id, '--connection', 'disconnected');
    for (const changes of [
      { amount: 0 },
      { currency: undefined },
      { customer: 'cus_x' },
      { provider: 'processor_b' },
    ]) {
      expectError(await merchant.pay(changes), 'processing_not_enabled');
    }
    expectError(await merchant.post(payments, {}), 'processing_not_enabled');
  });

  it('gets errors of the idempotency key and of malformed JSON before that', async () => {
    const merchant = await openLive();
    expectError(await merchant.pay({}, { idempotencyKey: null }), 'missing_idempotency_key');
    expectError(await merchant.call('POST', payments, { raw: '{' }), 'missing_field');
  });

  it('may have customers, and read', async () => {
    const merchant = await openLive();
    const customer = await merchant.post('/api/v1/customers', { email: freshEmail() });
    expect(customer.status).toBe(201);
    expect(customer.body.livemode).toBe(true);
    expect((await merchant.get('/api/v1/events')).status).toBe(200);
  });

  it('may use the same key again once it is activated', async () => {
    const merchant = await openLive();
    const options = { idempotencyKey: randomUUID() };
    expectError(await merchant.pay({}, options), 'processing_not_enabled');
    await activate(merchant, 'active');
    expect((await merchant.pay({}, options)).status).toBe(201);
  });
});

describe('a live account that is suspended while a payment is in doubt', () => {
  it('gets no answer that says that nothing was charged', async () => {
    const merchant = await openLive('active');
    const options = { idempotencyKey: randomUUID() };
    const pay = () => merchant.pay({ card: { holder_name: 'SIM-500-DONE' } }, options);
    expect([502, 503]).toContain((await pay()).status);
    await activate(merchant, 'suspended');
    expect([200, 201, 502, 503]).toContain((await pay()).status);
    expectError(await merchant.pay(), 'processing_not_active');
    expect((await merchant.ledger()).charges).toHaveLength(1);
  });
});

describe.each(['suspended', 'restricted', 'closed'])('a live account that is %s', (activation) => {
  it('gets processing_not_active, which names the status, until it is restored', async () => {
    const merchant = await openLive(activation);
    for (const changes of [{}, { amount: 0 }, { currency: undefined }]) {
      const reply = await merchant.pay(changes);
      expectError(reply, 'processing_not_active');
      expect(reply.body.error.message).toContain(activation);
    }
    expect((await merchant.ledger()).charges).toEqual([]);
    await activate(merchant, 'active');
    expect((await merchant.pay()).status).toBe(201);
  });

  it('still replays what was charged before', async () => {
    const merchant = await openLive('active');
    const options = { idempotencyKey: randomUUID() };
    const first = await merchant.pay({}, options);
    await activate(merchant, activation);
    const again = await merchant.pay({}, options);
    expect(again.text).toBe(first.text);
    expect((await merchant.get(`${payments}/${first.body.id}`)).text).toBe(first.text);
  });
});

describe('a live account that is active', () => {
  it('charges, with livemode true on payment and event', async () => {
    const merchant = await openLive('active');
    const reply = await merchant.pay();
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ status: 'succeeded', livemode: true });
    const { data } = (await merchant.get('/api/v1/events')).body;
    expect(data).toMatchObject([{ type: 'payment.succeeded', livemode: true, data: { object: reply.body } }]);
    expect((await merchant.ledger()).charges).toEqual([
      { reference: reply.body.id, amount: 4990, currency: 'EUR', status: 'captured' },
    ]);
  });

  it('has no clock to move', async () => {
    const merchant = await openLive('active');
    await expect(till('clock', 'advance', '--account', merchant.id, '--seconds', '60')).rejects.toThrow();
  });
});

describe('a sandbox account', () => {
  it.each(['not_activated', 'suspended', 'restricted', 'closed'])(
    'charges even where it is %s',
    async (activation) => {
      const merchant = await Merchant.open();
      await activate(merchant, activation);
      expect((await merchant.pay()).status).toBe(201);
    },
  );
});
