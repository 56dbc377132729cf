import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant } from '../../support/merchant.ts';

const payments = '/api/v1/payments';
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const broken: readonly (readonly [what: string, json: string])[] = [
  ['the character NUL in a line', '{"line1":"a\\u0000b","country":"DE"}'],
  ['a lone surrogate in a line', '{"line1":"a\\ud800","country":"DE"}'],
  ['NUL in a name', '{"a\\u0000b":"x","country":"DE"}'],
  ['objects in one another', deep(200)],
  ['objects in one another behind a line', `{"line1":${deep(200)},"country":"DE"}`],
  ['lists in one another', `${'['.repeat(500)}${']'.repeat(500)}`],
  ['a list', '["Main St 1"]'],
  ['a text', '"Main St 1"'],
  ['a number', '12'],
  ['false', 'false'],
  ['a line that is a number', '{"line1":5,"country":"DE"}'],
  ['a line of 256 characters', `{"line1":"${'x'.repeat(256)}","country":"DE"}`],
  ['a country that is none', '{"line1":"x","country":"ZZ"}'],
  ['a country in lower case', '{"line1":"x","country":"de"}'],
  ['no country', '{"line1":"x"}'],
  ['nothing', '{}'],
  ['null', 'null'],
];

describe.each(['processor_a', 'processor_b'] as const)('a payment-level address on %s', (processor) => {
  let shop: Merchant;

  beforeAll(async () => {
    shop = await Merchant.open(processor);
  });

  it.each(broken)('never fails the payment: %s', async (_what, json) => {
    for (const field of ['billing_address', 'delivery_address']) {
      const raw = `{"${field}":${json},${JSON.stringify(cardPayment()).slice(1)}`;
      const key = randomUUID();
      const first = await shop.call('POST', payments, { raw, idempotencyKey: key });
      expect(first).toMatchObject({ status: 201, body: { status: 'succeeded' } });
      const again = await shop.call('POST', payments, { raw, idempotencyKey: key });
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    }
  });

  it.each([
    ['reference', '"a\\u0000b"'],
    ['description', '"\\ud800"'],
    ['line_items', `[${deep(200)}]`],
    ['customer', '{"email":"a@x.test","billing_address":{"line1":"a\\u0000b"}}'],
  ])('is the only field that is forgiven: %s stays refused', async (field, json) => {
    const raw = `{"${field}":${json},${JSON.stringify(cardPayment()).slice(1)}`;
    expectError(await shop.call('POST', payments, { raw }), 'invalid_params');
  });
});

it('an update of a customer takes a null inside an address as not sent, as create does', async () => {
  const merchant = await Merchant.open();
  const { id } = (await merchant.post('/api/v1/customers', { email: freshEmail() })).body;
  const body = { billing_address: { city: 'Bern', line2: null } };
  const updated = await merchant.call('PATCH', `/api/v1/customers/${id}`, { body });
  expect(updated.body.billing_address).toEqual({ city: 'Bern' });
});
