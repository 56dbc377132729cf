import { randomUUID } from 'node:crypto';
import { beforeAll, describe, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { type CallOptions, cardPayment, Merchant, type Reply, till } from '../../support/merchant.ts';

const payments = '/api/v1/payments';
const unknownCustomer = '/api/v1/customers/cus_000000000000000000000000';

let shop: Merchant;
const usedKey = randomUUID();

beforeAll(async () => {
  shop = await Merchant.open();
  await shop.pay({}, { idempotencyKey: usedKey });
});

const pay = (options: CallOptions): Promise<Reply> => shop.call('POST', payments, options);
const tooLong = 'k'.repeat(256);

describe('the order of checks', () => {
  it('puts authentication before the idempotency key and the body', async () => {
    expectError(await pay({ key: null, idempotencyKey: null, raw: '{' }), 'missing_api_key');
    expectError(await pay({ key: 'sk_test_x', idempotencyKey: tooLong, raw: '{' }), 'invalid_api_key');
  });

  it('puts authentication before a body that is too large', async () => {
    expectError(await pay({ key: null, raw: 'x'.repeat(300_000) }), 'missing_api_key');
  });

  it('puts the mode of the key before everything that follows', async () => {
    const merchant = await Merchant.open();
    await till('accounts', 'update', merchant.id, '--environment', 'live');
    const reply = await merchant.call('POST', payments, { idempotencyKey: null, raw: '{' });
    expectError(reply, 'key_mode_mismatch');
  });

  it('puts the idempotency key before the body', async () => {
    expectError(await pay({ idempotencyKey: null, raw: '{' }), 'missing_idempotency_key');
    expectError(await pay({ idempotencyKey: tooLong, raw: '{' }), 'invalid_params');
  });

  it('puts the parsing of the body before key_reused', async () => {
    expectError(await pay({ idempotencyKey: usedKey, raw: '{' }), 'missing_field');
    expectError(await pay({ idempotencyKey: usedKey, raw: '[]' }), 'missing_field');
  });

  it('puts key_reused before missing and wrong fields, references and the connection', async () => {
    for (const body of [
      {},
      cardPayment({ amount: 0 }),
      cardPayment({ customer: 'cus_nobody' }),
      cardPayment({ provider: 'processor_b' }),
    ]) {
      expectError(await pay({ idempotencyKey: usedKey, body }), 'key_reused');
    }
  });

  it('puts the parsing of the body before the resource of the path, and that before the fields', async () => {
    expectError(await shop.call('PATCH', unknownCustomer, { raw: '{' }), 'missing_field');
    expectError(await shop.call('PATCH', unknownCustomer, { body: { locale: 'english' } }), 'not_found');
  });

  it.each([
    ['payments/pay', 'approve', { outcome: 'other' }],
    ['payments/pay', 'dispute', { amount: 'all' }],
    ['refunds/re', 'settle', {}],
  ])(
    'puts the resource of the path before the fields in the test helper of %s to %s',
    async (of, action, body) => {
      const path = `/api/v1/test_helpers/${of}_${'0'.repeat(24)}/${action}`;
      expectError(await shop.call('POST', path, { body }), 'not_found');
    },
  );

  it('puts the fields before references', async () => {
    expectError(
      await pay({ body: cardPayment({ customer: 'cus_nobody', amount: 0 }) }),
      'invalid_params',
      'amount',
    );
    expectError(
      await pay({ body: cardPayment({ customer: 'cus_nobody', success_url: undefined }) }),
      'invalid_params',
      'success_url',
    );
  });
});
