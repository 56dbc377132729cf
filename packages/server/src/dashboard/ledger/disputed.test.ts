import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireDisputes } from '../../disputes/deadlines/expire-disputes.ts';
import { applyDisputeFacts } from '../../disputes/notifications/apply-facts.ts';
import { createDisputeKit, type DisputeKit, factsOf } from '../../disputes/test-kit.ts';
import { raiseAlert } from '../../payment-alerts/alerts.ts';
import type { PaymentAlertKind } from '../../payment-alerts/kinds.ts';
import { type Movement, movementsIn } from './movements.ts';

let kit: DisputeKit;
beforeAll(async () => {
  kit = await createDisputeKit();
});
afterAll(() => kit.drop());

const amounts = (lines: readonly Movement[]) => lines.map(({ type, amount }) => `${type} ${amount}`);
const sum = (lines: readonly Pick<Movement, 'amount'>[]) =>
  lines.reduce((all, { amount }) => all + amount, 0);

/** Opens a shop with a payment of 49.90 EUR, and returns functions that let things happen to it. */
async function pay() {
  const shop = kit.context(await kit.openAccount());
  const payment = await kit.pay(shop);
  const at = () => ({ ...shop, now: kit.clock.now() });
  /** The movements of the ledger other than the payment, in the order of the lines. */
  const ledger = async (from = shop.now, to = new Date(kit.clock.now().getTime() + 1)) => {
    const lines: Movement[] = [];
    for await (const page of movementsIn(kit.db, shop, { from, to })) lines.push(...page);
    return lines;
  };
  const raise = (kind: PaymentAlertKind, said: number | null = null) =>
    raiseAlert(
      { db: kit.db, mail: kit.deps.mail },
      at(),
      { id: payment, amount: 4990, currency: 'EUR' },
      kind,
      said,
    );
  const dispute = (changes: Parameters<typeof factsOf>[1] = {}) => {
    const facts = factsOf(payment, changes);
    return (more: Partial<typeof facts> = {}) => applyDisputeFacts(kit.deps, at(), { ...facts, ...more });
  };
  const disputedAmount = async () => {
    const [row] = await kit.db.query<{ disputed_amount: number }>({
      text: 'select disputed_amount from payments where tenant = $1 and id = $2',
      values: [shop.tenant, payment],
      scope: shop,
    });
    return row?.disputed_amount ?? 0;
  };
  return { shop, payment, ledger, raise, dispute, disputedAmount };
}

async function open(changes: Parameters<typeof factsOf>[1] = {}) {
  const { ledger, dispute, ...rest } = await pay();
  const apply = dispute(changes);
  await apply();
  return { ...rest, apply, ledger, disputed: async () => sum(await ledger()) };
}

const less = { amount: 1000, currency: 'EUR' } as const;

it('a dispute whose amount is known later only takes that, and gives back what it took', async () => {
  const { disputed, apply } = await open();
  await apply(less);
  expect(await disputed()).toBe(-1000);
  await apply({ ...less, status: 'challenged' });
  await apply({ ...less, status: 'won' });
  expect(await disputed()).toBe(0);
});

it('a dispute of less that is lost takes that', async () => {
  const { disputed, apply } = await open();
  await apply(less);
  await apply({ ...less, status: 'lost' });
  expect(await disputed()).toBe(-1000);
});

it.each(['lost', 'accepted'] as const)(
  'an inquiry that is %s gives the money back, as the payment says',
  async (status) => {
    const { disputed, apply, disputedAmount } = await open({ state: 'information_request' });
    expect(await disputed()).toBe(0);
    await apply({ status });
    expect(await disputedAmount()).toBe(4990);
    expect(await disputed()).toBe(-4990);
  },
);

it('an inquiry that only passed its deadline takes nothing until the processor says that it did', async () => {
  const respondBy = new Date(kit.clock.now().getTime() + 60_000);
  const { apply, ledger, disputedAmount } = await open({ state: 'information_request', respondBy });
  kit.clock.move(120_000);
  await expireDisputes(kit.deps);
  const [before, until] = [kit.clock.now(), new Date(kit.clock.now().getTime() + 1)];
  expect([await disputedAmount(), await ledger()]).toEqual([0, []]);
  kit.clock.move(40 * 86_400_000);
  await apply({ status: 'accepted' });
  expect(await disputedAmount()).toBe(4990);
  expect(amounts(await ledger())).toEqual(['chargeback -4990']);
  // The month of the deadline stays unchanged.
  expect(await ledger(before, until)).toEqual([]);
});

describe('a capture that is reversed because of a dispute is taken once', () => {
  const whole = { amount: 4990, currency: 'EUR' };
  const half = { amount: 2000, currency: 'EUR' };

  it.each([
    ['lost', -4990],
    ['won', 0],
  ] as const)('by the dispute that is %s, notified before the reversal', async (status, left) => {
    const { apply, raise, ledger } = { ...(await open(whole)) };
    await raise('capture_reversed', 4990);
    await apply({ status: 'challenged' });
    await apply({ status });
    const lines = await ledger();
    expect(sum(lines)).toBe(left);
    expect(lines.filter(({ type }) => type === 'reversal')).toEqual([]);
  });

  it.each([
    ['lost', -4990],
    ['won', 0],
  ] as const)('by the dispute that is %s, notified after the reversal', async (status, left) => {
    const { dispute, raise, ledger, shop } = await pay();
    await raise('capture_reversed', 4990);
    const until = new Date(kit.clock.now().getTime() + 1);
    expect(amounts(await ledger())).toEqual(['reversal -4990']);
    kit.clock.move(40 * 86_400_000);
    const apply = dispute(whole);
    await apply();
    expect(
      amounts(await ledger())
        .slice(1)
        .sort(),
    ).toEqual(['chargeback -4990', 'reversal 4990']);
    await apply({ status: 'challenged' });
    await apply({ status });
    expect(sum(await ledger())).toBe(left);
    expect(amounts(await ledger(shop.now, until))).toEqual(['reversal -4990']);
  });

  it.each([
    ['before', false],
    ['after', true],
  ])('by a dispute that is not known before it is won, %s the reversal', async (_order, isLater) => {
    const { dispute, raise, ledger } = await pay();
    if (isLater) await raise('capture_reversed', 4990);
    await dispute({ ...whole, status: 'won' })();
    if (!isLater) await raise('capture_reversed', 4990);
    expect(sum(await ledger())).toBe(0);
  });

  it.each([
    ['the part that is disputed', 2000, -2000],
    ['more than the part that is disputed', 4990, -4990],
    ['what the processor does not say', null, -4990],
  ])('%s', async (_what, said, left) => {
    const first = await open(half);
    await first.raise('capture_reversed', said);
    expect(sum(await first.ledger())).toBe(left);
    const later = await pay();
    await later.raise('capture_reversed', said);
    await later.dispute(half)();
    expect(sum(await later.ledger())).toBe(left);
  });

  it('whatever its dispute is said to be about later', async () => {
    const { apply, raise, ledger } = await open();
    await raise('capture_reversed', 2000);
    expect(sum(await ledger())).toBe(-4990);
    await apply(half);
    expect(sum(await ledger())).toBe(-2000);
  });

  it('by an inquiry once the processor has decided it', async () => {
    const { apply, raise, ledger } = await open({ ...whole, state: 'information_request' });
    await raise('capture_reversed', 4990);
    expect(amounts(await ledger())).toEqual(['reversal -4990']);
    await apply({ status: 'lost' });
    expect(sum(await ledger())).toBe(-4990);
  });

  it('of a dispute and a reversal at the same moment, whichever is committed first', async () => {
    const { dispute, raise, ledger } = await pay();
    await Promise.all([dispute(whole)(), raise('capture_reversed', 4990)]);
    expect(sum(await ledger())).toBe(-4990);
  });
});

describe('a reversal', () => {
  const refund = async ({ shop, payment }: Awaited<ReturnType<typeof pay>>, status: string) => {
    await kit.db.query({
      text: `insert into refunds (tenant, id, seq, payment_id, amount, currency, status, metadata, version, event_count, created_at)
             select $1, 're_' || count(*), coalesce(max(seq), 0) + 1, $2, 1000, 'EUR', $3, '{}', 1, 1, $4 from refunds where tenant = $1`,
      values: [shop.tenant, payment, status, kit.clock.now()],
      scope: shop,
    });
    await kit.db.query({
      text: 'update payments set refunded_amount = refunded_amount + 1000 where tenant = $1 and id = $2',
      values: [shop.tenant, payment],
      scope: shop,
    });
  };

  it('takes what was not given back by refunds before, and stays as it is whatever is refunded later', async () => {
    const paid = await pay();
    await refund(paid, 'succeeded');
    await refund(paid, 'pending');
    await paid.raise('capture_failed');
    expect(amounts(await paid.ledger())).toEqual(['reversal -3990']);
    await refund(paid, 'succeeded');
    expect(amounts(await paid.ledger())).toEqual(['reversal -3990']);
  });

  it('is booked once, however often and as whatever it is notified', async () => {
    const { raise, ledger } = await pay();
    await raise('capture_reversed', 3000);
    await raise('capture_reversed', 4990);
    expect(amounts(await ledger())).toEqual(['reversal -3000']);
    await raise('capture_failed');
    await raise('cancelled_upstream');
    await raise('fraud_reported');
    expect(amounts(await ledger())).toEqual(['reversal -3000', 'reversal -1990']);
  });

  it('is no more than the payment, whatever the processor says', async () => {
    const { raise, ledger } = await pay();
    await raise('capture_reversed', 9990);
    expect(amounts(await ledger())).toEqual(['reversal -4990']);
  });
});
