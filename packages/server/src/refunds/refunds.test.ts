import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { chargedAs, createMoneyKit, type MoneyKit, Shop } from '../payments/test-kit.ts';
import { until } from '../processor-notifications/test-kit.ts';
import type { RefundOutcome } from '../processors/port/refunds.ts';
import { rejectedByScheme } from '../processors/processor-a/modifications/refund.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import type { Queryable } from '../store/database.ts';
import { applyRefundUpdate } from './apply-notification.ts';
import { createRefund } from './create-refund.ts';
import { recoverRefunds, refundRecovery } from './refund.ts';
import { refundableOf } from './refundable.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(() => {
  kit.processor.answers = { charge: async () => chargedAs('PSP1') };
});

/** Opens a shop with a succeeded payment. */
async function openPaid() {
  const shop = await Shop.open(kit, 'processor_b');
  await shop.pay('k');
  const payment = await shop.paymentOf('k');
  /** @returns the id of the refund, whether or not the processor answered */
  const refund = async (outcome: RefundOutcome, amount?: number): Promise<string> => {
    kit.processor.answers.refund = async () => outcome;
    const request = amount === undefined ? {} : { amount };
    const options = { paymentId: payment.id, request, claim: null, resumes: null };
    await createRefund(kit.refunds, shop.context(), options).catch(() => {});
    const { rows } = await kit.refunds.store.list(shop.context(), payment.id, 1, 1);
    return rows[0]?.id ?? '';
  };
  const find = (id: string) => kit.refunds.store.find(shop.context(), id);
  const refunded = async () => (await refundableOf(kit.db, payment)).refunded;
  return { shop, payment, refund, find, refunded };
}

const noAnswer = { kind: 'unknown', answer: 'provider_unavailable', reason: 'test' } as const;

describe('recovery of refunds', () => {
  it('marks a repeat, of which a refusal alone proves nothing', async () => {
    const { refund } = await openPaid();
    await refund(noAnswer);
    const repeats: unknown[] = [];
    kit.processor.answers.refund = async (_connection, { isRepeat }) => {
      repeats.push(isRepeat);
      return noAnswer;
    };
    kit.clock.move(10_000);
    await recoverRefunds(kit.refunds);
    expect(repeats).toEqual([true]);
  });

  it('marks no repeat where nothing was carried out before, until it may have been', async () => {
    const { refund, find } = await openPaid();
    const notSent = { kind: 'not_executed', answer: 'provider_unavailable', reason: 'test' } as const;
    const id = await refund(notSent);
    const repeats: unknown[] = [];
    const outcomes: RefundOutcome[] = [notSent, noAnswer, notSent];
    kit.processor.answers.refund = async (_connection, { refundId, isRepeat }) => {
      if (refundId !== id) return noAnswer;
      repeats.push(isRepeat);
      return outcomes[repeats.length - 1] ?? { kind: 'failed', upstreamId: null, failure: rejectedByScheme };
    };
    for (const seconds of [10, 60, 600, 3600]) {
      kit.clock.move(seconds * 1000);
      await recoverRefunds(kit.refunds);
    }
    expect(repeats).toEqual([undefined, undefined, true, true]);
    expect(await find(id)).toMatchObject({ status: 'failed' });
  });

  it('a slow processor delays no refund at the other one', async () => {
    const slow = await openPaid();
    const quick = await openPaid();
    await slow.refund(noAnswer);
    const done = await quick.refund({ kind: 'succeeded', upstreamId: 'R-QUICK' });
    let answer = () => {};
    const answered = new Promise<RefundOutcome>((resolve) => {
      answer = () => resolve(noAnswer);
    });
    kit.processor.answers.refund = () => answered;
    kit.clock.move(10_000);
    const recovery = recoverRefunds(kit.refunds);
    await until('the refund is reported', async () => (await quick.find(done))?.status === 'succeeded');
    answer();
    await recovery;
  });

  it('resumes a refund in the first poll beside 1,000 of a tenant whose processor hangs', async () => {
    const hanging = await openPaid();
    const other = await openPaid();
    await hanging.refund(noAnswer, 1);
    const { accountId } = hanging.shop.context();
    await multiply(kit.db, { table: 'refunds', accountId, copies: 999, isNumbered: true });
    await multiply(kit.db, {
      table: 'operations',
      accountId,
      copies: 999,
      ids: ['subject'],
    });
    kit.clock.move(1000);
    const late = await other.refund(noAnswer);
    kit.clock.move(10_000);
    let asked = 0;
    kit.processor.answers.refund = async (connection) => {
      if (connection.accountId !== accountId) return { kind: 'succeeded', upstreamId: 'R-LATE' };
      asked += 1;
      return never();
    };
    const recovery = refundRecovery(kit.refunds);
    await recovery.poll();
    const isMade = async (id: string) => {
      const refund = await other.find(id);
      return refund !== undefined && kit.payments.operations.isOpen(refund, ['settle_refund']);
    };
    await until('the refund was asked about', () => isMade(late));
    kit.clock.move(2_000);
    await recovery.poll();
    await until('it is reported', async () => (await other.find(late))?.status === 'succeeded');
    // A quarter of 32 places, less those in use. Wait for all of them: a later request would meet the answers of the next test.
    await until('each that was taken has asked', async () => asked >= 6);
    expect(asked).toBe(6);
  });
});

let disputes = 0;

/** Inserts a chargeback of a payment, as the commit of its notification does. */
const insertDispute = (
  tx: Queryable,
  payment: PaymentRow,
  amount: number | null,
  status = 'action_required',
) =>
  tx.query({
    text: `insert into disputes (tenant, id, seq, payment_id, upstream_id, amount, currency, state,
             status, version, event_count, created_at)
           select $1, 'dsp_' || n, n, $2, 'UP-' || n, $3, 'EUR', 'chargeback', $4, 1, 1, now()
           from (select $5::int as n) as numbered`,
    values: [payment.tenant, payment.id, amount, status, ++disputes],
    scope: payment,
  });

describe('concurrent refund and chargeback', () => {
  const waiting = async () => {
    const rows = await kit.db.query({
      text: `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      scope: 'anybody',
    });
    return rows.length > 0;
  };

  it('the refund is refused where the chargeback commits first, also where the refund began before', async () => {
    const { shop, payment, refunded } = await openPaid();
    // Any request to the processor fails the test.
    kit.processor.answers = {};
    let refund: Promise<unknown> | undefined;
    await kit.db.transaction(async (tx) => {
      await insertDispute(tx, payment, null);
      const options = { paymentId: payment.id, request: { amount: 1000 }, claim: null, resumes: null };
      refund = createRefund(kit.refunds, shop.context(), options);
      refund.catch(() => {});
      await until('the refund waits for the payment', waiting);
    });
    await expect(refund).rejects.toMatchObject({ code: 'payment_not_refundable' });
    expect(await refunded()).toBe(0);
  });

  it('two concurrent chargebacks both count', async () => {
    const { payment } = await openPaid();
    let second: Promise<unknown> | undefined;
    await kit.db.transaction(async (tx) => {
      await insertDispute(tx, payment, 1000);
      second = insertDispute(kit.db, payment, 2000);
      await until('the second waits for the payment', waiting);
    });
    await second;
    expect(await refundableOf(kit.db, payment)).toMatchObject({ left: 1990, disputes: { length: 2 } });
  });

  it('a refund made in the processor’s own dashboard is recorded all the same', async () => {
    const { shop, payment, refunded } = await openPaid();
    await insertDispute(kit.db, payment, null);
    const reported = {
      kind: 'refund_settled',
      refundId: null,
      upstreamId: 'R-DISPUTED',
      paymentId: payment.id,
      payment: {},
      amount: 1000,
      currency: 'EUR',
      outcome: 'succeeded',
    } as const;
    expect(await applyRefundUpdate(kit.refunds, shop.context(), reported)).toBe('applied');
    expect(await refunded()).toBe(1000);
  });
});

it('a success that is notified of a failed refund is reported, and changes nothing; a repeated failure is not', async () => {
  const { shop, payment, refund, find, refunded } = await openPaid();
  const failure = { code: 'failed', message: 'The refund failed.' } as const;
  const id = await refund({ kind: 'failed', upstreamId: 'R-FAILED', failure });
  const { amount, currency } = payment;
  const update = {
    kind: 'refund_settled',
    refundId: id,
    upstreamId: 'R-FAILED',
    paymentId: payment.id,
  } as const;
  const apply = (outcome: 'succeeded' | typeof failure) =>
    applyRefundUpdate(kit.refunds, shop.context(), { ...update, payment: {}, amount, currency, outcome });
  const reports = () => kit.incidents.filter((text) => text.includes('succeeded which failed')).length;
  expect(await apply(failure)).toBe('applied');
  expect(reports()).toBe(0);
  expect(await apply('succeeded')).toBe('applied');
  expect(reports()).toBe(1);
  expect(await find(id)).toMatchObject({ status: 'failed' });
  expect(await refunded()).toBe(0);
});

describe('a refund made in the processor’s own dashboard', () => {
  const update = (upstreamId: string, payment: { id: string }, money: { amount: number; currency: string }) =>
    ({
      kind: 'refund_settled',
      refundId: null,
      upstreamId,
      paymentId: payment.id,
      payment: {},
      ...money,
      outcome: 'succeeded',
    }) as const;

  it('counts against the payment once', async () => {
    const { shop, payment, refunded } = await openPaid();
    const reported = update('R-1', payment, { amount: 1000, currency: 'EUR' });
    expect(await applyRefundUpdate(kit.refunds, shop.context(), reported)).toBe('applied');
    expect(await applyRefundUpdate(kit.refunds, shop.context(), reported)).toBe('applied');
    expect(await refunded()).toBe(1000);
  });

  it('that the scheme took back counts nothing, whichever of both is notified first', async () => {
    for (const order of [
      ['succeeded', rejectedByScheme] as const,
      [rejectedByScheme, 'succeeded'] as const,
    ]) {
      const { shop, payment, refunded } = await openPaid();
      const reported = update('R-BACK', payment, { amount: 1000, currency: 'EUR' });
      for (const outcome of order) {
        expect(await applyRefundUpdate(kit.refunds, shop.context(), { ...reported, outcome })).toBe(
          'applied',
        );
      }
      expect(await refunded()).toBe(0);
      const { rows } = await kit.refunds.store.list(shop.context(), payment.id, 1, 5);
      expect(rows.map(({ status }) => status)).toEqual(['failed']);
    }
  });

  it('is no incident where it failed and nothing was left', async () => {
    const { shop, payment, refund, refunded } = await openPaid();
    await refund({ kind: 'succeeded', upstreamId: 'R-ALL' });
    const incidents = kit.incidents.length;
    const failed = {
      ...update('R-NONE', payment, { amount: 1000, currency: 'EUR' }),
      outcome: rejectedByScheme,
    };
    expect(await applyRefundUpdate(kit.refunds, shop.context(), failed)).toBe('applied');
    expect(kit.incidents.slice(incidents)).toEqual([]);
    expect(await refunded()).toBe(payment.amount);
  });

  it('is reported and not counted in another currency', async () => {
    const { shop, payment, refunded } = await openPaid();
    const reported = update('R-2', payment, { amount: 1000, currency: 'JPY' });
    expect(await applyRefundUpdate(kit.refunds, shop.context(), reported)).toBe('applied');
    expect(await refunded()).toBe(0);
    expect(kit.incidents).toContainEqual(expect.stringContaining('currency'));
  });

  it('is not recorded on a failed payment: it returns what was charged all the same', async () => {
    const shop = await Shop.open(kit, 'processor_b');
    const facts = idsOnly({ order: 'O-1' });
    kit.processor.answers.charge = async () => ({ kind: 'declined', code: 'declined', facts });
    await shop.pay('k');
    const reported = update('R-3', await shop.paymentOf('k'), { amount: 4990, currency: 'EUR' });
    expect(await applyRefundUpdate(kit.refunds, shop.context(), reported)).toBe('applied');
  });
});
