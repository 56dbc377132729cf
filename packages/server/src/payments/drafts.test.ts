import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { discardPayment } from './operations/discard-payment.ts';
import { cardPayment, createMoneyKit, type MoneyKit, noAnswer, Shop, walletPayment } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
  kit.processor.answers = { charge: async () => noAnswer };
  shop = await Shop.open(kit, 'processor_b');
});
afterAll(() => kit.drop());

/** Sends a request that gets no answer. @returns the payment that commit 1 was to write */
async function begin(key: string, request: typeof cardPayment, changes = {}) {
  const stored = vi.spyOn(kit.payments.store, 'begin');
  const refused = await shop.pay(key, changes, request);
  const intent = stored.mock.lastCall?.[0];
  stored.mockRestore();
  if (intent === undefined) throw new Error(refused.text);
  return intent.payment;
}

const usual = { ...walletPayment, ...cardPayment, reference: 'usual' };
const other = {
  ...usual,
  reference: 'other',
  capture_method: 'manual',
  shopper_statement: 'Shop',
} as const;

describe('a payment without an answer', () => {
  it.each([
    ['with what most begin with', usual, { connection: { connected: true, threeDSecure: 'enabled' } }],
    ['with anything else', other, { connection: { connected: true, threeDSecure: 'always' } }],
  ] as const)('is read as it was begun: %s', async (_name, request, changes) => {
    const begun = await begin(request.reference, request, changes);
    expect(await kit.payments.store.find(shop.context(), begun.id)).toEqual(begun);
  });

  it('is read as it was begun after it was discarded, with the ids that the upstream gave it', async () => {
    const begun = await begin('discarded', other);
    const operation = await kit.payments.operations.takeOver(
      begun,
      ['charge'],
      kit.payments.lease(),
      kit.clock.now(),
    );
    const isDone = await discardPayment(kit.payments, begun, {
      claim: null,
      customerIsNew: false,
      upstream: { psp: 'PSP1' },
      leaseUntil: operation?.lease_until ?? new Date(0),
      at: kit.clock.now(),
      suspend: shop.context().suspend,
    });
    expect(isDone).toBe(true);
    const found = await kit.payments.store.find(shop.context(), begun.id);
    expect(found).toEqual({ ...begun, upstream: { psp: 'PSP1' } });
  });
});
