import pg from 'pg';
import { readLedger } from '../../packages/sandbox/src/ledger.ts';
import { merchantAccountOf } from '../../packages/server/src/lib/merchant-account.ts';
import {
  compareRecords,
  isRepairable,
  type RecordedPayment,
  type RecordedRefund,
} from '../../packages/server/src/reconcile/differences.ts';

interface Tenant {
  readonly tenant: number;
}

/** An account in one mode, which the simulators know as one merchant account. */
interface Merchant {
  readonly account_id: string;
  readonly livemode: boolean;
}

type PaymentState = Tenant & RecordedPayment;
type RefundState = Tenant & RecordedRefund;

const paymentsSql = `select p.id, p.tenant, p.status, p.amount::float8 as amount, p.currency, exists (
    select from operations o
    where o.tenant = p.tenant and o.subject = p.id) as open,
    coalesce(p.authorization_expires <= now()
      + case when t.livemode then 0 else a.clock_offset_ms end * interval '1 millisecond', false) as lapsed
  from payments p join tenants t using (tenant) join accounts a using (account_id)`;

const refundsSql = `select id, tenant, payment_id, status, amount::float8 as amount, currency from refunds`;

type Select = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * Returns the merchant accounts with notifications that are not sent or not applied yet, since their refunds
 * may be about to change.
 */
async function accountsWithUpdates(select: Select): Promise<ReadonlySet<string>> {
  const planned = await select<{ merchant_account: string }>(
    'select distinct merchant_account from sandbox.notifications where not sent',
  );
  const received = await select<Merchant>(
    `select distinct t.account_id, t.livemode from processor_notifications n join tenants t using (tenant)
     where n.state = 'received'`,
  );
  return new Set([
    ...planned.map((row) => row.merchant_account),
    ...received.map((row) => merchantAccountOf(row.account_id, row.livemode)),
  ]);
}

/**
 * Compares all payments and refunds of a database with the ledgers in which the simulators record what they
 * really did. Skips payments with an open operation.
 * @returns the number of compared payments, and a description of each difference
 */
export async function compareWithLedgers(
  databaseUrl: string,
): Promise<{ compared: number; differences: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const select: Select = async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[];
    const payments = await select<PaymentState>(paymentsSql);
    const refunds = await select<RefundState>(refundsSql);
    const withUpdates = await accountsWithUpdates(select);
    const tenants = await select<Tenant & Merchant>('select tenant, account_id, livemode from tenants');
    const database = {
      query: async (text: string, values: readonly unknown[] = []) => ({ rows: await select(text, values) }),
    };
    const differences: string[] = [];
    for (const { tenant, account_id: account, livemode } of tenants) {
      const name = merchantAccountOf(account, livemode);
      const ledger = await readLedger(database, name);
      const isOwn = (row: Tenant) => row.tenant === tenant;
      const found = compareRecords(
        { payments: payments.filter(isOwn), refunds: refunds.filter(isOwn) },
        ledger,
      ).filter((difference) => !(isRepairable(difference) && withUpdates.has(name)));
      differences.push(
        ...found.map(
          ({ kind, reference, ours, theirs }) => `${name}: ${kind} ${reference}: ${ours} / ${theirs}`,
        ),
      );
    }
    return { compared: payments.filter(({ open }) => !open).length, differences };
  } finally {
    await client.end();
  }
}
