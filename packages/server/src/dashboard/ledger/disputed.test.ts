import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import { applyDisputeFacts } from '../../disputes/notifications/apply-facts.ts';
import { createDisputeKit, type DisputeKit, factsOf } from '../../disputes/test-kit.ts';
import { retrieveLedger } from './ledger.ts';

let kit: DisputeKit;
beforeAll(async () => {
  kit = await createDisputeKit();
});
afterAll(() => kit.drop());

/** What the ledger of a month comes to beside what was charged, in minor units. */
async function disputed(shop: AccountContext): Promise<number> {
  const month = kit.clock.now().toISOString().slice(0, 7);
  const { sums } = await retrieveLedger(kit.db, shop, { month, timeZone: 'UTC', processor: 'processor_b' });
  return sums
    .filter(({ type }) => type.startsWith('chargeback'))
    .reduce((sum, { amount }) => sum + amount, 0);
}

async function open(changes: Parameters<typeof factsOf>[1] = {}) {
  const shop = kit.context(await kit.openAccount());
  const facts = factsOf(await kit.pay(shop), changes);
  const apply = (more: Partial<typeof facts>) => applyDisputeFacts(kit.deps, shop, { ...facts, ...more });
  await apply({});
  return { shop, apply };
}

const less = { amount: 1000, currency: 'EUR' } as const;

it('a dispute whose amount is known later only takes that, and gives back what it took', async () => {
  const { shop, apply } = await open();
  await apply(less);
  expect(await disputed(shop)).toBe(-1000);
  await apply({ ...less, status: 'challenged' });
  await apply({ ...less, status: 'won' });
  expect(await disputed(shop)).toBe(0);
});

it('a dispute of less that is lost takes that', async () => {
  const { shop, apply } = await open();
  await apply(less);
  await apply({ ...less, status: 'lost' });
  expect(await disputed(shop)).toBe(-1000);
});

it.each(['lost', 'accepted'] as const)(
  'an inquiry that is %s gives the money back, as the payment says',
  async (status) => {
    const { shop, apply } = await open({ state: 'information_request' });
    expect(await disputed(shop)).toBe(0);
    await apply({ status });
    const [payment] = await kit.db.query<{ disputed_amount: number }>({
      text: 'select disputed_amount from payments where tenant = $1',
      values: [shop.tenant],
      scope: shop,
    });
    expect(payment?.disputed_amount).toBeGreaterThan(0);
    expect(await disputed(shop)).toBe(-(payment?.disputed_amount ?? 0));
  },
);
