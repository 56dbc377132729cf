import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWorkAt } from '../connections/open-work.ts';
import { upstreamKeyOf } from '../operations/sql.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { firstRows } from '../store/list.ts';
import { createPayment } from './operations/create-payment.ts';
import { discardPayment } from './operations/discard-payment.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { operationsInDoubt } from './sql.ts';
import {
  cardPayment,
  chargedAs,
  createMoneyKit,
  type MoneyKit,
  noAnswer,
  Shop,
  walletPayment,
} from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
});

async function countOf(table: 'idempotency_keys' | 'payments'): Promise<number> {
  const [row] = await kit.db.query<{ n: number }>({
    text: `select count(*)::int as n from ${table} where tenant in (select tenant from tenants where account_id = $1)`,
    values: [shop.context().accountId],
    scope: 'everybody',
  });
  return row?.n ?? 0;
}

describe('discarding a charge, with a concurrent retry in the same process', () => {
  it('not discarded where the retry holds the lease', async () => {
    kit.processor.answers.charge = async () => {
      kit.clock.move(200_000);
      const { operations, lease } = kit.payments;
      const payment = await shop.paymentOf('k');
      expect(await operations.takeOver(payment, ['charge'], lease(), kit.clock.now())).toBeDefined();
      return { ...noAnswer, kind: 'not_executed' };
    };
    await shop.pay('k');
    expect(await countOf('idempotency_keys')).toBe(1);
    // Nobody works under the lease of that retry. Let it end.
    kit.clock.move(200_000);
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
    expect(await countOf('payments')).toBe(1);
  });

  it('discarded before the retry takes it over: the retry is a new request', async () => {
    kit.processor.answers.charge = async () => noAnswer;
    await shop.pay('k');
    const context = shop.context();
    const found = await kit.idempotency.find(context, { scope: 'POST /pay', key: 'k', body: cardPayment });
    if (found.kind !== 'resume') throw new Error('nothing to resume');
    const { claim, resourceId } = found;
    const payment = await shop.paymentOf('k');
    const operations = Object.assign(Object.create(kit.payments.operations), {
      isOpen: () => kit.payments.operations.isOpen(payment),
      async takeOver() {
        const lease = kit.payments.lease();
        await kit.payments.operations.takeOver(payment, ['charge'], lease, kit.clock.now());
        const end = {
          claim,
          customerIsNew: false,
          leaseUntil: lease.until,
          at: context.now,
          suspend: context.suspend,
        };
        expect(await discardPayment(kit.payments, payment, end)).toBe(true);
      },
    });
    const client = { ip: null, userAgent: null, accept: null };
    const input = { request: cardPayment, client, claim, resumes: resourceId };
    expect(await createPayment({ ...kit.payments, operations }, context, input)).toEqual({ keyTaken: true });
    expect(await countOf('idempotency_keys')).toBe(0);
  });
});

describe('a charge taken over by a retry in the same process', () => {
  /** Lets the lease end, and takes the charge over like a retry. */
  async function takeOver(): Promise<void> {
    kit.clock.move(200_000);
    const { operations, lease } = kit.payments;
    const payment = await shop.paymentOf('k');
    expect(await operations.takeOver(payment, ['charge'], lease(), kit.clock.now())).toBeDefined();
  }

  async function operation() {
    const [row] = await kit.db.query<{ kind: string; state: string; upstream_key: string }>({
      text: `select kind, state, ${upstreamKeyOf('o')} as upstream_key from operations o where tenant in (select tenant from tenants where account_id = $1)`,
      values: [shop.context().accountId],
      scope: 'everybody',
    });
    return row;
  }

  it('keeps its key where the earlier request continues with a changed copy', async () => {
    const committed: unknown[] = [];
    kit.processor.answers.charge = async (_connection, { upstreamKey, commitKey }) => {
      await takeOver();
      committed.push(await commitKey?.(`${upstreamKey}:s`));
      return noAnswer;
    };
    await shop.pay('k');
    expect(committed).toEqual([false]);
    expect(await operation()).toMatchObject({
      upstream_key: `${(await shop.paymentOf('k')).id}:c`,
      state: 'intent',
    });
    // Nobody works under the lease of that retry. Let it end.
    kit.clock.move(200_000);
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('is not released to a further retry by a late answer to recovery', async () => {
    kit.processor.answers.charge = async () => noAnswer;
    await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    let asked = 0;
    kit.processor.answers.charge = async () => {
      asked += 1;
      await takeOver();
      return { kind: 'not_carried_out', facts: idsOnly({}) };
    };
    for (let passed = 0; asked === 0 && passed < 30; passed += 1) {
      kit.clock.move(10_000);
      await recoverPayments(kit.payments);
    }
    expect(await operation()).toEqual({ kind: 'charge', state: 'intent', upstream_key: `${id}:c` });
  });
});

describe('a discarded payment whose order is still to be cancelled', () => {
  const query = <Row>(text: string) =>
    kit.db.query<Row>({ text, values: [shop.context().tenant], scope: shop.context() });

  beforeEach(() => {
    kit.processor.answers = {
      charge: async () => ({ kind: 'missing_approval_url', facts: idsOnly({ order: 'ORDER1' }) }),
    };
  });

  it('is listed and counted among what is in doubt while its cancellation is open', async () => {
    await shop.pay('k', {}, walletPayment);
    const { tenant } = shop.context();
    const { rows } = await firstRows<{ amount: number; currency: string; kind: string; shown: boolean }>(
      kit.db,
      operationsInDoubt,
      { values: [tenant, kit.clock.now()], scope: { tenant } },
      { shown: 5, countedUpTo: 5 },
    );
    expect(rows).toMatchObject([{ amount: 4990, currency: 'EUR', kind: 'cancel', shown: false }]);
    expect(await openWorkAt(kit.db, shop.context(), 'test:Shop')).toMatchObject({ payments_in_doubt: 1 });
    expect(await openWorkAt(kit.db, shop.context(), 'another')).toMatchObject({ payments_in_doubt: 0 });
  });

  it('its cancellation does not become a charge again', async () => {
    await shop.pay('k', {}, walletPayment);
    const [row] = await query<{ id: string }>('select id from discarded_payments where tenant = $1');
    const subject = { tenant: shop.context().tenant, id: row?.id ?? '' };
    const change = { from: ['cancel', 'charge'], to: 'charge', leaseUntil: null } as const;
    expect(await kit.payments.operations.convert(subject, change)).toBe(false);
    expect(await query('select kind from operations where tenant = $1')).toEqual([{ kind: 'cancel' }]);
  });
});
