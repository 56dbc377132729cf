import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCustomer, updateCustomer } from '../customers/customers.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const refused = { kind: 'not_executed', answer: 'provider_error', reason: 'status 401' } as const;

it.each([
  ['stays where its merchant changed it meanwhile', true],
  ['is discarded with the payment otherwise', false],
])('a customer that came with a payment that was not carried out %s', async (_, changes) => {
  const shop = await Shop.open(kit, 'processor_b');
  const { customers } = kit.payments;
  const find = (id: string) => findCustomer(customers, shop.context(), id);
  let id = '';
  kit.processor.answers.charge = async () => {
    ({ customer_id: id } = (await shop.paymentOf('k')) as { customer_id: string });
    if (changes) await updateCustomer(customers, shop.context(), id, { external_id: 'crm-1', name: 'Ada' });
    return refused;
  };
  const { status } = await shop.pay('k', {}, { ...cardPayment, customer: { email: 'ada@shop.example' } });
  expect(status).toBe(502);
  const left = await find(id);
  if (changes) expect(left).toMatchObject({ external_id: 'crm-1', name: 'Ada', email: 'ada@shop.example' });
  else expect(left).toBeUndefined();
});
