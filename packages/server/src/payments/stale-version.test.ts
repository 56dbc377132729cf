import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOnly } from '../processors/upstream/facts.ts';
import { commitRefund } from '../refunds/commit-refund.ts';
import { createRefund } from '../refunds/create-refund.ts';
import { settleRefund } from '../refunds/refund.ts';
import { cancelKey } from './operations/payment-access.ts';
import { failed, settlePayment } from './settle-payment.ts';
import { chargedAs, createMoneyKit, type MoneyKit, Shop, walletPayment } from './test-kit.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const tables = [
  'payments',
  'operations',
  'refunds',
  'events',
  'deliveries',
  'idempotency_keys',
  'payment_methods',
  'checkout_tokens',
  'counters',
];

/** Reads all rows of the shop in the tables about money. */
async function onRecord(shop: Shop): Promise<unknown> {
  const rows = tables.map(
    (table) =>
      `(select coalesce(json_agg(t order by t::text), '[]') from ${table} t where tenant in (select tenant from tenants where account_id = $1)) as ${table}`,
  );
  const [row] = await kit.db.query<Record<string, unknown>>({
    text: `select ${rows.join(', ')}`,
    values: [shop.context().accountId],
    scope: 'everybody',
  });
  return row;
}

const claimOn = (key: string) => ({
  scope: 'POST /pay',
  key,
  fingerprint: 'ab',
  eventId: `evt_of_${key}`,
  owner: 1,
  leaseUntil: kit.clock.now(),
});

describe('commit 2 with a stale version writes nothing', () => {
  it('payment: no state, event, response, or end of its operation', async () => {
    const shop = await Shop.open(kit, 'processor_b');
    kit.processor.answers = {
      charge: async () => ({
        kind: 'requires_action',
        action: 'processor_b_wallet',
        redirectUrl: 'https://wallet.example/approve',
        facts: idsOnly({ order: 'ORDER1' }),
      }),
    };
    await shop.pay('k', {}, walletPayment);
    const read = await shop.paymentOf('k');
    const changed = await settlePayment(kit.payments, shop.context(), {
      before: read,
      after: { ...read, confirm_attempt: 1 },
      claim: null,
    });
    expect(changed).toBeDefined();
    await kit.payments.operations.begin({
      subject: read,
      kind: 'confirm',
      upstreamKey: 'key',
      at: kit.clock.now(),
      lease: kit.payments.lease(),
      claim: claimOn('confirm'),
    });
    const before = await onRecord(shop);
    const late = await settlePayment(kit.payments, shop.context(), {
      before: read,
      after: failed(read, 'declined'),
      claim: claimOn('confirm'),
      cancelKey: cancelKey(read),
    });
    expect(late).toBeUndefined();
    expect(await onRecord(shop)).toEqual(before);
  });

  it('refund: no state, event or response, and no amount is released', async () => {
    const shop = await Shop.open(kit, 'processor_b');
    const outcome = { kind: 'pending', upstreamId: 'R-1' } as const;
    kit.processor.answers = { charge: async () => chargedAs('PSP1'), refund: async () => outcome };
    await shop.pay('k');
    const { id: paymentId } = await shop.paymentOf('k');
    const claim = claimOn('refund');
    const options = { paymentId, request: {}, claim, resumes: null };
    await createRefund(kit.refunds, shop.context(), options);
    const { rows } = await kit.refunds.store.list(shop.context(), paymentId, 1, 1);
    const [read] = rows;
    if (read === undefined) throw new Error('no refund');
    const stale = { ...read, version: read.version - 1 };
    const before = await onRecord(shop);
    const failure = { code: 'refused', message: 'Refused.' };
    const refusal = { kind: 'failed', upstreamId: 'R-1', failure } as const;
    const after = settleRefund(stale, refusal, { now: kit.clock.now(), shown: 'later' });
    expect(await commitRefund(kit.refunds, shop.context(), stale, after, claim)).toBeUndefined();
    expect(await onRecord(shop)).toEqual(before);
  });
});
