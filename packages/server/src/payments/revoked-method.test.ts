import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { confirmPayment } from './operations/confirm.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
  shop = await Shop.open(kit);
});
afterAll(() => kit.drop());

const saved: ChargeOutcome = {
  kind: 'succeeded',
  facts: { ...idsOnly({ psp: 'PSP1' }), saved: { token: 'TOKEN1', upstreamCustomer: null } },
};
const revoked: ChargeOutcome = {
  kind: 'declined',
  code: 'refused',
  facts: idsOnly({ psp: 'PSP2' }),
  instrumentGone: true,
};

/** Creates a customer with a saved card. */
async function customerWithCard(email: string) {
  kit.processor.answers.charge = async () => saved;
  kit.clock.move(1);
  const { text } = await shop.pay(
    email,
    {},
    { ...cardPayment, customer: { email }, save_payment_method: true },
  );
  const { customer, payment_method_id: stored } = JSON.parse(text);
  return {
    rebill: (key: string, outcome: () => Promise<ChargeOutcome>) => {
      kit.processor.answers.charge = outcome;
      kit.clock.move(1);
      const { payment_method: _card, ...request } = cardPayment;
      const rebill: PaymentCreate = { ...request, customer, stored_payment_method: stored };
      return shop.pay(key, {}, rebill);
    },
    saveAgain: async () => {
      kit.processor.answers.charge = async () => saved;
      kit.clock.move(1);
      await shop.pay(`${email} again`, {}, { ...cardPayment, customer, save_payment_method: true });
    },
  };
}

it('422 once the processor has revoked it', async () => {
  const { rebill } = await customerWithCard('one@shop.example');
  expect((await rebill('r1', async () => revoked)).status).toBe(200);
  expect((await rebill('r2', async () => chargedAs('PSP3'))).status).toBe(422);
});

it('a card that was saved again while a charge of it was refused as revoked can be charged', async () => {
  const { rebill, saveAgain } = await customerWithCard('two@shop.example');
  const { status } = await rebill('r3', async () => {
    await saveAgain();
    return revoked;
  });
  expect(status).toBe(200);
  expect((await rebill('r4', async () => chargedAs('PSP4'))).status).toBe(201);
});

it('422 once the processor has revoked it at the end of a challenge', async () => {
  const { rebill } = await customerWithCard('three@shop.example');
  const redirectUrl = 'https://bank.example/challenge';
  const waiting: ChargeOutcome = {
    kind: 'requires_action',
    action: 'processor_a_redirect',
    redirectUrl,
    facts: idsOnly({ psp: 'PSP5' }),
  };
  expect((await rebill('r5', async () => waiting)).status).toBe(201);
  kit.processor.answers.confirm = async () => revoked;
  const { id } = await shop.paymentOf('r5');
  await confirmPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
  expect((await rebill('r6', async () => chargedAs('PSP6'))).status).toBe(422);
});
