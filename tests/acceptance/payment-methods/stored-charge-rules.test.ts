import { describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { queryDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const processors = ['processor_a', 'processor_b'] as const;

async function save(shop: Merchant, changes: Record<string, unknown> = {}) {
  const { body } = await shop.pay({
    customer: { email: freshEmail() },
    save_payment_method: true,
    ...changes,
  });
  expect(body).toMatchObject({ status: 'succeeded', payment_method_id: expect.any(String) });
  return { customer: body.customer as string, method: body.payment_method_id as string, payment: body.id };
}

const charge = (
  shop: Merchant,
  saved: { readonly customer: string; readonly method: string },
  changes: Record<string, unknown>,
) =>
  shop.post('/api/v1/payments', {
    amount: 1500,
    currency: 'EUR',
    customer: saved.customer,
    stored_payment_method: saved.method,
    success_url: 'https://shop.example/ok',
    failure_url: 'https://shop.example/no',
    ...changes,
  });

/** How the processors' wire formats name the model and the party that initiates the charge. */
interface Credential {
  readonly shopperInteraction?: string;
  readonly recurringProcessingModel?: string;
  readonly payment_source?: { readonly card: { readonly stored_credential: object } };
}

/** The credential data that the simulated processor received with a payment and stored beside its ledger. */
async function credentialOf(payment: string): Promise<unknown> {
  const { url } = await till<{ url: string }>('db', 'url');
  const rows = await queryDatabase<{ received: Credential }>(
    url,
    'select received from sandbox.charges where reference = $1',
    [payment],
  );
  expect(rows).toHaveLength(1);
  const { shopperInteraction, recurringProcessingModel, payment_source } = rows[0]?.received ?? {};
  return payment_source?.card.stored_credential ?? [shopperInteraction, recurringProcessingModel];
}

describe('the model of a charge of a saved card', () => {
  const recurring = { usage: 'SUBSEQUENT', payment_type: 'RECURRING' };
  const unscheduled = { usage: 'SUBSEQUENT', payment_type: 'UNSCHEDULED' };
  it.each([
    ['processor_a', ['ContAuth', 'Subscription'], ['ContAuth', 'UnscheduledCardOnFile']],
    [
      'processor_b',
      { ...recurring, payment_initiator: 'MERCHANT' },
      { ...unscheduled, payment_initiator: 'MERCHANT' },
    ],
  ] as const)(
    'is the one that it was saved with, or the one named, on %s',
    async (processor, inherited, named) => {
      const shop = await Merchant.open(processor);
      const saved = await save(shop, { recurring_processing_model: 'subscription' });
      const rebill = { merchant_initiated: true };
      const plain = await charge(shop, saved, rebill);
      expect(await credentialOf(plain.body.id)).toEqual(inherited);
      const other = await charge(shop, saved, {
        ...rebill,
        recurring_processing_model: 'unscheduled_card_on_file',
      });
      expect(await credentialOf(other.body.id)).toEqual(named);
      const method = await shop.get(`/api/v1/payment_methods/${saved.method}`);
      expect(method.body.recurring_processing_model).toBe('subscription');
    },
  );
});

describe('a hold of a saved card', () => {
  it('is placed on-session on processor_b, and captured', async () => {
    const shop = await Merchant.open('processor_b');
    const saved = await save(shop);
    const held = await charge(shop, saved, { capture_method: 'manual' });
    expect(held).toMatchObject({
      status: 201,
      body: { status: 'authorized', capture_method: 'manual', payment_method_id: saved.method },
    });
    const captured = await shop.post(`/api/v1/payments/${held.body.id}/capture`);
    expect(captured.body).toEqual({ ...held.body, status: 'succeeded' });
  });

  it('cannot be initiated by the merchant', async () => {
    const shop = await Merchant.open('processor_b');
    const saved = await save(shop);
    const before = (await shop.ledger()).charges.length;
    const changes = { capture_method: 'manual', merchant_initiated: true };
    expectError(await charge(shop, saved, changes), 'invalid_params', 'capture_method');
    expect((await shop.ledger()).charges).toHaveLength(before);
  });
});

describe.each(processors)('a renewal on %s', (processor) => {
  it('of a payment of another account or of the other mode is not found', async () => {
    const [shop, other] = await Promise.all([Merchant.open(processor), Merchant.open(processor)]);
    const elsewhere = await save(other);
    const inTest = await save(shop);
    await till('accounts', 'update', shop.id, '--environment', 'live', '--activation', 'active');
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    const live = new Merchant(shop.id, key);
    const saved = await save(live);
    for (const renewed of [elsewhere.payment, inTest.payment]) {
      const reply = await charge(live, saved, { merchant_initiated: true, renews_payment: renewed });
      expectError(reply, 'invalid_params', 'renews_payment');
      expect(reply.body.error.message).toMatch(/not found/);
    }
    const renewal = await charge(live, saved, { merchant_initiated: true, renews_payment: saved.payment });
    expect(renewal.body).toMatchObject({
      status: 'succeeded',
      renews_payment: saved.payment,
      livemode: true,
    });
  });
});

describe('a fault on our side', () => {
  it('is 500 internal_error without its cause, and charges once by a retry when it is fixed', async () => {
    const shop = await Merchant.open('processor_b');
    const saved = await save(shop);
    const { url } = await till<{ url: string }>('db', 'url');
    /** Makes the sealed token unreadable. A second call restores it. */
    const flipToken = () =>
      queryDatabase(
        url,
        'update payment_methods set token = set_byte(token, 20, 255 - get_byte(token, 20)) where id = $1',
        [saved.method],
      );
    const request = {
      amount: 4321,
      currency: 'EUR',
      customer: saved.customer,
      stored_payment_method: saved.method,
      merchant_initiated: true,
    };
    const options = { idempotencyKey: 'our-fault' };
    await flipToken();
    const broken = await shop.post('/api/v1/payments', request, options);
    await flipToken();
    expectError(broken, 'internal_error');
    expect(broken.body.error.message).toBe(
      'Something went wrong on our side. Retry with the same Idempotency-Key.',
    );
    const repaired = await until('the request is resumed', async () => {
      const reply = await shop.post('/api/v1/payments', request, options);
      return reply.status === 201 && reply;
    });
    expect(repaired.body).toMatchObject({ status: 'succeeded', amount: 4321 });
    const { charges } = await shop.ledger();
    expect(charges.filter(({ amount }) => amount === 4321)).toHaveLength(1);
  });
});
