import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardPayment, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

it('409 key_reused for a body whose key another body has since it was read', async () => {
  const shop = await Shop.open(kit, 'processor_b');
  const scope = 'POST /pay';
  const [first, second] = [1000, 9900].map((amount) => ({ ...cardPayment, amount }));
  let record: Awaited<ReturnType<typeof kit.idempotencyStore.read>>;
  kit.processor.answers = {
    charge: async () => {
      record = await kit.idempotencyStore.read({ tenant: shop.context().tenant, scope, key: 'k' });
      const error = { status: 422, code: 'X', param: 'currency' };
      return { kind: 'not_executed', answer: 'provider_error', reason: 'refused', error } as never;
    },
  };
  await shop.pay('k', {}, first);
  kit.processor.answers = { charge: async () => noAnswer };
  expect(await shop.pay('k', {}, second)).toMatchObject({ status: 503 });
  if (record === undefined) throw new Error('the first request had no record');
  const found = kit.idempotency.find(shop.context(), { scope, key: 'k', body: first, lookedUp: { record } });
  await expect(found).rejects.toMatchObject({ code: 'key_reused' });
});
