import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from '../../payments/test-kit.ts';
import type { RefundOutcome } from '../../processors/port/refunds.ts';
import type { Queryable } from '../../store/database.ts';
import { applyRefundUpdate } from '../apply-notification.ts';
import { createRefund } from '../create-refund.ts';
import { refundableOf } from '../refundable.ts';
import { type Finding, settleByHand } from './settle-by-hand.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

let shop: Shop;
let id: string;
let paymentId: string;

/** Makes a payment of 4990 with a refund of 1000 that the processor answers with `outcome`. */
async function refundThat(outcome: RefundOutcome, processor: 'processor_a' | 'processor_b' = 'processor_a') {
  shop = await Shop.open(kit, processor);
  kit.processor.answers = { charge: async () => chargedAs('PSP1'), refund: async () => outcome };
  await shop.pay('k');
  paymentId = (await shop.paymentOf('k')).id;
  await createRefund(kit.refunds, shop.context(), {
    paymentId,
    request: { amount: 1000 },
    claim: null,
    resumes: null,
  }).catch(() => {});
  const { rows } = await kit.refunds.store.list(shop.context(), paymentId, 1, 1);
  id = rows[0]?.id ?? '';
}

const find = () => kit.refunds.store.find(shop.context(), id);
const rowsOf = <Row>(text: string) =>
  kit.db.query<Row>({ text, values: [shop.context().accountId], scope: 'everybody' });
const entries = () =>
  rowsOf<object>('select actor_type, action, object_id, before, after from audit_log where account_id = $1');
const refunded = async () => (await refundableOf(kit.db, await shop.paymentOf('k'))).refunded;

const settle = (status: Finding['status'], before: (tx: Queryable) => Promise<void> = async () => {}) =>
  kit.db.transaction(async (tx) => {
    const deps = { ...kit.refunds, randomBytes };
    const settled = await settleByHand(deps, tx, shop.context(), id, { status, reason: 'not in their list' });
    await before(tx);
    return settled;
  });

const failed: Finding['status'] = 'failed';

describe.each([
  ['no answer ever came', noAnswer],
  ['the notification never came', { kind: 'pending', upstreamId: 'R1' } as const],
])('a refund of which %s', (_what, outcome) => {
  beforeEach(() => refundThat(outcome));

  it('fails where the operator says so, with its event and audit entry, and its amount can be refunded again', async () => {
    expect(await refunded()).toBe(1000);
    expect(await settle(failed)).toMatchObject({ id, status: 'failed', failure_code: 'not_processed' });
    expect(await find()).toMatchObject({ status: 'failed', failure_code: 'not_processed' });
    expect(await refunded()).toBe(0);
    expect(await shop.eventsOf(id)).toEqual(['refund.failed']);
    expect(await entries()).toEqual([
      {
        actor_type: 'operator',
        action: 'refund.settled',
        object_id: id,
        before: { status: 'pending' },
        after: {
          payment: paymentId,
          amount: 1000,
          currency: 'EUR',
          status: 'failed',
          reason: 'not in their list',
        },
      },
    ]);
  });

  it('is asked for by nobody after that: a repeat of its request is answered with it', async () => {
    await settle(failed);
    const refund = await find();
    expect(refund && (await kit.payments.operations.isOpen(refund))).toBe(false);
    const repeat = { paymentId, request: { amount: 1000 }, claim: null, resumes: id };
    const answer = await createRefund(kit.refunds, shop.context(), repeat);
    expect('text' in answer && JSON.parse(answer.text)).toMatchObject({ id, status: 'failed' });
  });

  it('succeeds where the operator says so', async () => {
    expect(await settle('succeeded')).toMatchObject({ status: 'succeeded' });
    expect(await refunded()).toBe(1000);
    expect(await shop.eventsOf(id)).toEqual(['refund.succeeded']);
  });

  it('is ended once', async () => {
    await settle(failed);
    expect(await settle('succeeded')).toBe('settled');
    expect(await shop.eventsOf(id)).toEqual(['refund.failed']);
    expect(await entries()).toHaveLength(1);
  });

  it('stays as it is where its commit fails, with its event, amount and audit entry', async () => {
    const commit = settle(failed, async () => {
      throw new Error('the database is gone');
    });
    await expect(commit).rejects.toThrow('gone');
    expect(await find()).toMatchObject({ status: 'pending' });
    expect(await refunded()).toBe(1000);
    expect([await shop.eventsOf(id), await entries()]).toEqual([[], []]);
  });

  it('is reported where the processor says later that it had given it back', async () => {
    await settle(failed);
    const money = { amount: 1000, currency: 'EUR', payment: {}, paymentId: null };
    const update = { kind: 'refund_settled', refundId: id, upstreamId: 'R1', outcome: 'succeeded' } as const;
    expect(await applyRefundUpdate(kit.refunds, shop.context(), { ...update, ...money })).toBe('applied');
    expect(await find()).toMatchObject({ status: 'failed' });
    expect(kit.incidents.at(-1)).toContain('succeeded which failed here');
  });
});

describe('the operator ends no refund', () => {
  it('while a process asks for it', async () => {
    await refundThat(noAnswer);
    const refund = await find();
    const { operations, lease } = kit.payments;
    if (refund === undefined) throw new Error('no refund');
    await operations.takeOver(refund, ['refund'], lease(), kit.clock.now());
    expect(await settle(failed)).toBe('asked');
    expect(await find()).toMatchObject({ status: 'pending' });
    expect(await entries()).toEqual([]);
  });

  it('that the processor has made, and that is about to be shown so', async () => {
    await refundThat({ kind: 'succeeded', upstreamId: 'R1' }, 'processor_b');
    expect(await settle(failed)).toBe('settled');
    expect(await find()).toMatchObject({ status: 'pending' });
  });

  it('of another account', async () => {
    await refundThat(noAnswer);
    shop = await Shop.open(kit);
    expect(await settle(failed)).toBe('unknown');
  });
});
