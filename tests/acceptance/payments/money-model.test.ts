import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Merchant } from '../../support/merchant.ts';

interface RefundModel {
  readonly id: string;
  readonly amount: number;
  /** `open` waits for the test helper, `settling` may succeed at any moment, and the others are final. */
  status: 'open' | 'settling' | 'succeeded' | 'failed';
}

interface PaymentModel {
  readonly id: string;
  readonly amount: number;
  status: 'authorized' | 'succeeded' | 'voided' | 'failed';
  disputed: boolean;
  readonly refunds: RefundModel[];
}

interface Model {
  readonly payments: PaymentModel[];
}

type Command = fc.AsyncCommand<Model, Merchant>;

const of = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];
const refunded = (payment: PaymentModel) =>
  payment.refunds
    .filter((refund) => refund.status !== 'failed')
    .reduce((total, refund) => total + refund.amount, 0);

const command = (name: string, needsPayment: boolean, run: Command['run']): Command => ({
  check: (model) => !needsPayment || model.payments.length > 0,
  run,
  toString: () => name,
});

const create = (amount: number, manual: boolean, declined: boolean) =>
  command(
    `create(${amount}${manual ? ', manual' : ''}${declined ? ', declined' : ''})`,
    false,
    async (model, shop) => {
      const { body } = await shop.pay({
        amount,
        ...(manual ? { capture_method: 'manual' } : {}),
        ...(declined ? { card: { holder_name: 'CCREJECT-REFUSED' } } : {}),
      });
      const status = declined ? 'failed' : manual ? 'authorized' : 'succeeded';
      expect(body.status).toBe(status);
      model.payments.push({ id: body.id, amount, status, disputed: false, refunds: [] });
    },
  );

const move = (index: number, to: 'capture' | 'void') =>
  command(`${to}(${index})`, true, async (model, shop) => {
    const payment = of(model.payments, index) as PaymentModel;
    const reply = await shop.post(`/api/v1/payments/${payment.id}/${to}`);
    if (payment.status !== 'authorized') {
      expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_params']);
      return;
    }
    payment.status = to === 'capture' ? 'succeeded' : 'voided';
    expect([reply.status, reply.body.status]).toEqual([200, payment.status]);
  });

/** The code with which a refund is refused; null if it is accepted. */
function refusalOf(payment: PaymentModel, wanted: number): string | null {
  const left = payment.amount - refunded(payment);
  if (payment.status !== 'succeeded') return 'payment_not_refundable';
  // The whole payment was charged back, or the dispute was lost because its deadline passed.
  if (payment.disputed && left > 0) return 'payment_not_refundable';
  return wanted < 1 || wanted > left ? 'amount_invalid' : null;
}

type Ending = 'open' | 'settling' | 'fails at once' | 'fails later' | 'taken back';
const notes: Readonly<Record<Ending, string | undefined>> = {
  open: 'SIM-REFUND-PENDING',
  settling: undefined,
  'fails at once': 'SIM-REFUND-FAIL-SYNC',
  'fails later': 'SIM-REFUND-FAIL-ASYNC',
  'taken back': 'SIM-REFUND-REVERSED',
};

const refund = (index: number, amount: number | undefined, ending: Ending) =>
  command(`refund(${index}, ${amount ?? 'rest'}, ${ending})`, true, async (model, shop) => {
    const payment = of(model.payments, index) as PaymentModel;
    const left = payment.amount - refunded(payment);
    const reply = await shop.post(`/api/v1/payments/${payment.id}/refunds`, {
      ...(amount === undefined ? {} : { amount }),
      ...(notes[ending] === undefined ? {} : { note: notes[ending] }),
    });
    const wanted = amount ?? left;
    const refusal = refusalOf(payment, wanted);
    if (refusal !== null) {
      expect([reply.status, reply.body.error.code]).toEqual([422, refusal]);
    } else {
      expect([reply.status, reply.body.amount]).toEqual([201, wanted]);
      const status = ending === 'open' || ending === 'settling' ? ending : 'failed';
      payment.refunds.push({ id: reply.body.id, amount: wanted, status });
      // Within this command the processor reports the outcome, so that the model knows when it changes.
      if (ending === 'fails later' || ending === 'taken back') {
        await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 30 });
      }
    }
  });

const settle = (index: number, which: number, outcome: 'succeeded' | 'failed') =>
  command(`settle(${index}, ${which}, ${outcome})`, true, async (model, shop) => {
    const open = (of(model.payments, index) as PaymentModel).refunds.filter((one) => one.status === 'open');
    const chosen = of(open, which);
    if (chosen === undefined) return;
    const reply = await shop.post(`/api/v1/test_helpers/refunds/${chosen.id}/settle`, { outcome });
    expect([reply.status, reply.body.status]).toEqual([200, outcome]);
    chosen.status = outcome;
  });

const dispute = (index: number) =>
  command(`dispute(${index})`, true, async (model, shop) => {
    const payment = of(model.payments, index) as PaymentModel;
    if (payment.disputed) return;
    const reply = await shop.post(`/api/v1/test_helpers/payments/${payment.id}/dispute`, {});
    expect(reply.status).toBe(payment.status === 'succeeded' ? 201 : 422);
    payment.disputed = payment.status === 'succeeded';
  });

const advance = (seconds: number) =>
  command(`advance(${seconds})`, false, async (model, shop) => {
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds });
    for (const payment of model.payments) {
      for (const one of payment.refunds) if (one.status === 'settling') one.status = 'succeeded';
    }
  });

/**
 * Compares the responses of the API, and the charges and refunds that the simulated processor really made, with the
 * model.
 */
async function compare(model: Model, shop: Merchant): Promise<void> {
  const ledger = await shop.ledger();
  for (const payment of model.payments) {
    expect((await shop.get(`/api/v1/payments/${payment.id}`)).body.status).toBe(payment.status);
    expect(refunded(payment)).toBeLessThanOrEqual(payment.amount);
    const charges = ledger.charges.filter((one) => one.reference === payment.id);
    const upstream = { authorized: 'authorized', succeeded: 'captured', voided: 'voided', failed: undefined };
    expect(charges.map((one) => [one.amount, one.status])).toEqual(
      payment.status === 'failed' ? [] : [[payment.amount, upstream[payment.status]]],
    );
    const given = ledger.refunds
      .filter((one) => one.payment_reference === payment.id && one.status !== 'failed')
      .reduce((total, one) => total + one.amount, 0);
    expect(given).toBe(refunded(payment));
    const { data } = (await shop.get(`/api/v1/payments/${payment.id}/refunds?per_page=100`)).body;
    expect(data.map((one: { id: string }) => one.id)).toEqual(
      payment.refunds.map((one) => one.id).toReversed(),
    );
    for (const one of payment.refunds) {
      const { status } = data.find(({ id }: { id: string }) => id === one.id);
      if (one.status === 'open') expect(status).toBe('pending');
      else if (one.status === 'settling') expect(['pending', 'succeeded']).toContain(status);
      else expect(status).toBe(one.status);
    }
  }
}

const index = fc.nat({ max: 5 });
const endings: readonly Ending[] = ['open', 'settling', 'fails at once', 'fails later', 'taken back'];
const runs = 12;

describe.each([
  ['processor_a', false],
  ['processor_b', true],
] as const)('money on %s', (processor, holds) => {
  it(`is never refunded twice, lost or created (${runs} sequences)`, { timeout: 180_000 }, async () => {
    const commands = fc.commands(
      [
        fc
          .tuple(fc.integer({ min: 1, max: 5000 }), fc.boolean(), fc.nat({ max: 9 }))
          .map(([amount, manual, luck]) => create(amount, manual && holds, luck === 0)),
        fc
          .tuple(index, fc.constantFrom('capture' as const, 'void' as const))
          .map(([one, to]) => move(one, to)),
        fc
          .tuple(
            index,
            fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined }),
            fc.constantFrom(...endings),
          )
          .map(([one, amount, ending]) => refund(one, amount, ending)),
        fc
          .tuple(index, index, fc.constantFrom('succeeded' as const, 'failed' as const))
          .map(([one, which, outcome]) => settle(one, which, outcome)),
        index.map(dispute),
        fc.integer({ min: 2, max: 100_000 }).map(advance),
      ],
      { maxCommands: 30 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const shop = await Merchant.open(processor);
        const model: Model = { payments: [] };
        await fc.asyncModelRun(() => ({ model, real: shop }), sequence);
        await compare(model, shop);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});
