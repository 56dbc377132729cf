import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';

const processors = ['processor_a', 'processor_b'] as const;

/** The contents of an integrator's lists of a merchant's objects. */
async function seen(shop: Merchant) {
  const [payments, customers, events] = await Promise.all(
    ['payments', 'customers', 'events'].map(
      async (list) => (await shop.get(`/api/v1/${list}`)).body.total_count,
    ),
  );
  return { payments, customers, events };
}
const nothing = { payments: 0, customers: 0, events: 0 };

describe.each(processors)('a holder name without a visible character on %s', (processor) => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open(processor);
  });

  it.each([
    ['a space', ' '],
    ['a tab', '\t'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a zero-width space', '\u200b'],
  ])('is invalid_params on the field: %s', async (_name, holder_name) => {
    const options = { idempotencyKey: randomUUID() };
    const refused = await shop.pay({ card: { holder_name } }, options);
    expectError(refused, 'invalid_params', 'payment_method.holder_name');
    expect(await seen(shop)).toEqual(nothing);
    expect((await shop.ledger()).charges).toEqual([]);
    expectError(await shop.pay({ card: { holder_name } }, options), 'invalid_params');
  });
});

describe('a wallet order without an approval link', () => {
  const wallet = { payment_method: { type: 'processor_b' } };
  const useless = { ...wallet, description: 'SIM-WALLET-NO-APPROVAL-URL' };

  it('leaves no customer, no payment and no event; the same request with a new key goes on', async () => {
    const shop = await Merchant.open('processor_b');
    const customer = { email: freshEmail(), external_id: 'buyer-1' };
    expectError(await shop.pay({ ...useless, customer }), 'missing_approval_url');
    expect(await seen(shop)).toEqual(nothing);
    expect((await shop.get(`/api/v1/customers?email=${customer.email}`)).body.data).toEqual([]);
    const retried = await shop.pay({ ...wallet, customer });
    expect(retried).toMatchObject({ status: 201, body: { status: 'requires_action' } });
    expect(await seen(shop)).toEqual({ payments: 1, customers: 1, events: 1 });
    expect((await shop.ledger()).charges).toEqual([]);
  });

  it('is replayed under its key byte for byte, and another body is key_reused', async () => {
    const shop = await Merchant.open('processor_b');
    const options = { idempotencyKey: 'no-link' };
    const first = await shop.pay(useless, options);
    expectError(first, 'missing_approval_url');
    const again = await shop.pay(useless, options);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectError(await shop.pay(wallet, options), 'key_reused');
    expect(await seen(shop)).toEqual(nothing);
  });

  it('is answered once where the same request comes several times at once', async () => {
    const shop = await Merchant.open('processor_b');
    const options = { idempotencyKey: 'no-link-at-once' };
    const customer = { email: freshEmail() };
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => shop.pay({ ...useless, customer }, options)),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    // Any of them may be the first; the others have its request id.
    const first = replies.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
    expectError(first[0] as Reply, 'missing_approval_url');
    expect(await seen(shop)).toEqual(nothing);
  });
});

describe('an instrument of which the processor says that it cannot store it', () => {
  const unstorable = { card: { holder_name: 'SIM-SAVE-REFUSED' }, save_payment_method: true };

  it('leaves nothing; the corrected request may use its key and inline customer', async () => {
    const shop = await Merchant.open('processor_b');
    const customer = { email: freshEmail() };
    const options = { idempotencyKey: 'cannot-store' };
    expectError(
      await shop.pay({ ...unstorable, customer }, options),
      'invalid_params',
      'save_payment_method',
    );
    expect(await seen(shop)).toEqual(nothing);
    const corrected = await shop.pay({ ...unstorable, customer, save_payment_method: false }, options);
    expect(corrected).toMatchObject({ status: 201, body: { status: 'succeeded', payment_method_id: null } });
    expect((await shop.ledger()).charges).toHaveLength(1);
    expect(await seen(shop)).toEqual({ payments: 1, customers: 1, events: 1 });
  });

  it('leaves an existing customer; another body may use its key', async () => {
    const shop = await Merchant.open('processor_b');
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    const options = { idempotencyKey: 'cannot-store' };
    expectError(
      await shop.pay({ ...unstorable, customer }, options),
      'invalid_params',
      'save_payment_method',
    );
    expect((await shop.get(`/api/v1/customers/${customer}`)).status).toBe(200);
    const corrected = await shop.pay({ ...unstorable, customer, save_payment_method: false }, options);
    expect(corrected.status).toBe(201);
  });

  it('is a new attempt under a new key with the same inline customer', async () => {
    const shop = await Merchant.open('processor_b');
    const customer = { email: freshEmail() };
    expectError(await shop.pay({ ...unstorable, customer }), 'invalid_params', 'save_payment_method');
    expect((await shop.pay({ customer })).status).toBe(201);
  });
});

describe.each(processors)('saving a card again on %s', (processor) => {
  it('gives the saved method the model of the latest save, which a rebill inherits', async () => {
    const shop = await Merchant.open(processor);
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    await shop.pay({ customer });
    const save = async (recurring_processing_model: string) => {
      const paid = await shop.pay({ customer, save_payment_method: true, recurring_processing_model });
      const path = `/api/v1/payment_methods/${paid.body.payment_method_id}`;
      expect((await shop.get(path)).body).toMatchObject({ recurring_processing_model });
      return paid.body.payment_method_id;
    };
    await save('subscription');
    await save('unscheduled_card_on_file');
    const stored_payment_method = await save('subscription');
    const rebill = {
      amount: 900,
      currency: 'EUR',
      customer,
      stored_payment_method,
      merchant_initiated: true,
    };
    expect((await shop.post('/api/v1/payments', rebill)).body).toMatchObject({ status: 'succeeded' });
  });
});

describe('a customer who exists already', () => {
  let shop: Merchant;
  let existing: { id: string; email: string };
  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
    const email = freshEmail();
    existing = (await shop.post('/api/v1/customers', { email, external_id: 'known' })).body;
  });

  it('is named by customer_email_taken, on create, in another letter case, and inline on a payment', async () => {
    const email = existing.email.toUpperCase();
    for (const refused of [
      await shop.post('/api/v1/customers', { email }),
      await shop.pay({ customer: { email } }),
    ]) {
      expectError(refused, 'customer_email_taken');
      expect(refused.body.error.customer).toBe(existing.id);
    }
  });

  it('is named on update, and by customer_external_id_taken', async () => {
    const other = (await shop.post('/api/v1/customers', { email: freshEmail() })).body;
    const path = `/api/v1/customers/${other.id}`;
    const email = await shop.call('PATCH', path, { body: { email: existing.email } });
    expectError(email, 'customer_email_taken');
    expect(email.body.error.customer).toBe(existing.id);
    const external = await shop.call('PATCH', path, { body: { external_id: 'known' } });
    expectError(external, 'customer_external_id_taken');
    expect(external.body.error.customer).toBe(existing.id);
  });

  it('of another merchant is not named: the same address makes a new one', async () => {
    const other = await Merchant.open('processor_b');
    const made = await other.post('/api/v1/customers', { email: existing.email });
    expect(made.status).toBe(201);
    expect(made.body.id).not.toBe(existing.id);
  });

  it('is kept after a decline, and its id can be used with a new key', async () => {
    const customer = { email: freshEmail() };
    const declined = await shop.pay({ customer, card: { holder_name: 'CCREJECT-REFUSED' } });
    expect(declined.body.status).toBe('failed');
    const refused = await shop.pay({ customer });
    expectError(refused, 'customer_email_taken');
    expect(refused.body.error.customer).toBe(declined.body.customer);
    expect((await shop.pay({ customer: refused.body.error.customer })).status).toBe(201);
  });
});

describe.each(processors)('an error of %s instead of an outcome', (processor) => {
  it.each([
    ['SIM-500', 'answered with an error (status 500'],
    ['SIM-503', 'answered with an error (status 503'],
    ['SIM-DROP', 'broke before its answer came'],
    ['SIM-TIMEOUT-LOST', 'did not answer in time'],
  ])('is in the message: %s', async (holder_name, words) => {
    const shop = await Merchant.open(processor);
    const { body } = await shop.pay({ card: { holder_name } });
    expect(body.error.message).toContain(words);
    expect(body.error.message).toContain('Retry with the same Idempotency-Key.');
  });
});
