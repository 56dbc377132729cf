import { expect, it } from 'vitest';
import { Merchant } from '../../support/merchant.ts';
import { advance, importFile, payoutsOf, settle } from './kit.ts';

/** The same pseudo-random choices in every run (a linear congruential generator, Numerical Recipes). */
function choices(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const currencies = ['EUR', 'EUR', 'USD', 'JPY', 'HUF', 'KWD'];

/** An account with sales, refunds and disputes in a pseudo-random order, and with payouts in between. */
async function trade(merchant: Merchant, seed: number): Promise<void> {
  const choose = choices(seed);
  const paid: { id: string; left: number }[] = [];
  const pick = () => paid[choose(paid.length)];
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => {
      const amount = 100 * (1 + choose(900));
      const { body } = await merchant.pay({ amount, currency: currencies[choose(currencies.length)] });
      expect(body.status).toBe('succeeded');
      paid.push({ id: body.id, left: amount });
    },
    async () => {
      const payment = pick();
      if (payment === undefined || payment.left === 0) return;
      const amount = Math.max(100, Math.floor(payment.left / 200) * 100);
      const { status } = await merchant.post(`/api/v1/payments/${payment.id}/refunds`, { amount });
      if (status === 201) payment.left -= amount;
    },
    async () => {
      const payment = pick();
      if (payment === undefined || payment.left === 0) return;
      payment.left = 0;
      const path = `/api/v1/test_helpers/payments/${payment.id}/dispute`;
      const opened = await merchant.post(path, {});
      expect(opened.status, opened.text).toBeLessThan(300);
      if (choose(2) === 0) await advance(merchant, 30 * 86_400);
    },
    () => advance(merchant, 60),
    async () => {
      // Makes sure that there is something to pay out.
      paid.push({ id: (await merchant.pay({ amount: 300 })).body.id, left: 300 });
      await importFile(merchant, await settle(merchant));
    },
  ];
  const order = [0, 0, 0, 0, 1, 1, 2, 3, 4];
  for (let step = 0; step < 24; step += 1) await steps[order[choose(order.length)] ?? 0]?.();
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

it.each([
  ['processor_a', 1],
  ['processor_a', 7],
  ['processor_b', 2],
  ['processor_b', 11],
] as const)(
  'at %s whatever was charged, given back or disputed stands in one payout (%i)',
  async (processor, seed) => {
    const merchant = await Merchant.open(processor, '--three-d-secure', 'off');
    await merchant.pay();
    await trade(merchant, seed);
    await advance(merchant, 3600);
    await merchant.pay();
    const imported = await importFile(merchant, await settle(merchant));
    expect(imported.unmatched).toBe(0);

    const payouts = await payoutsOf(merchant);
    const lines = payouts.flatMap((payout) => payout.lines);
    expect(payouts.map(({ unmatched_count }) => unmatched_count)).toEqual(payouts.map(() => 0));
    const of = (type: string) => lines.filter((line) => line.type === type);

    const { charges, refunds } = await merchant.ledger();
    const captured = charges.filter(({ status }) => status === 'captured');
    expect(
      of('payment')
        .map((line) => [line.payment, line.gross])
        .sort(),
    ).toEqual(captured.map(({ reference, amount }) => [reference, amount]).sort());
    const failed = new Set(
      refunds.filter(({ status }) => status === 'failed').map(({ reference }) => reference),
    );
    const given = refunds.filter(({ reference }) => !failed.has(reference));
    expect(
      of('refund')
        .map((line) => [line.refund, -line.gross])
        .sort(),
    ).toEqual(given.map(({ reference, amount }) => [reference, amount]).sort());
    for (const line of [...of('chargeback'), ...of('chargeback_reversed')]) {
      expect(line.dispute).toMatch(/^(dsp|dp)_/);
      expect(line.payment).not.toBeNull();
    }
    expect(of('payment').every(({ fee }) => fee > 0)).toBe(true);
    expect(sumOf(lines.map(({ net }) => net))).toBe(sumOf(payouts.map(({ net }) => net)));
  },
);
