import { randomBytes } from 'node:crypto';
import { namedSchemas } from '@till/contract';
import { composeMoney } from '../../compose/money.ts';
import { CustomerStore } from '../../customers/store.ts';
import { DisputeStore } from '../../disputes/store.ts';
import { Serializers } from '../../http/api/serialize.ts';
import { IdempotencyStore } from '../../idempotency/store.ts';
import { newId } from '../../lib/ids.ts';
import { deriveKeys } from '../../lib/keys.ts';
import { createMetrics } from '../../lib/metrics.ts';
import { ImportQueue } from '../../settlements/import-queue.ts';
import type { Database } from '../../store/database.ts';
import { findTenant } from '../../vault/test-database.ts';
import { Vault } from '../../vault/vault.ts';
import { paymentsSectionRoutes } from '../sections/payments.ts';
import { createDashboardKit } from '../test-kit.ts';

/** The dashboard's API with payments, refunds and customers, over rows that the tests write themselves. */
export async function createPaymentsKit() {
  const kit = await createDashboardKit();
  const { db, clock, people } = kit;
  const { masterKeys } = people;
  const server = {
    config: { processorTimeoutMs: 1000 },
    db,
    clock,
    keys: deriveKeys(Buffer.alloc(32, 1)),
    masterKeys,
    instance: { number: 1 },
    metrics: createMetrics('test', () => 0),
    log: { error: () => {} },
  };
  const money = composeMoney(server as unknown as Parameters<typeof composeMoney>[0], {
    customers: { store: new CustomerStore(db), clock, randomBytes, write: JSON.stringify },
    vault: new Vault({ db, clock, randomBytes, masterKeys }),
    connect: () => undefined,
    idempotencyStore: new IdempotencyStore(db),
    serializers: new Serializers(namedSchemas),
    randomBytes,
    publicAddress: () => 'https://till.example',
    mail: { db, clock, randomBytes, sends: true },
    webhooks: { wake: () => {}, fanOutOf: () => 0 },
  });
  const deps = { ...money, disputes: { store: new DisputeStore(db) } };
  paymentsSectionRoutes(kit.api, { ...deps, reading: deps, clock, reportImports: new ImportQueue(clock) });
  return {
    ...kit,
    money,
    addPayment: (accountId: string, fields: PaymentFields = {}) =>
      addPayment(db, accountId, clock.now(), fields),
    addCustomer: (accountId: string, fields: CustomerFields) =>
      addCustomer(db, accountId, clock.now(), fields),
    addRefund: (accountId: string, payment: string, fields: RefundFields = {}) =>
      addRefund(db, accountId, payment, clock.now(), fields),
  };
}

export type PaymentsKit = Awaited<ReturnType<typeof createPaymentsKit>>;

type Fields = Readonly<Record<string, unknown>>;

interface PaymentFields extends Fields {
  readonly livemode?: boolean;
  readonly created_at?: Date;
}

interface CustomerFields extends Fields {
  readonly livemode?: boolean;
  readonly email: string;
}

interface RefundFields extends Fields {
  readonly livemode?: boolean;
}

const columnsOf = (row: Fields) => ({
  names: Object.keys(row).join(', '),
  marks: Object.keys(row)
    .map((_, index) => `$${index + 1}`)
    .join(', '),
  values: Object.values(row).map((value) =>
    typeof value === 'object' && value !== null && !(value instanceof Date) ? JSON.stringify(value) : value,
  ),
});

/** Inserts a row with the next number of its list. */
async function insert(
  db: Database,
  table: string,
  accountId: string,
  { livemode = false, ...fields }: Fields & { livemode?: boolean },
) {
  const { tenant } = await findTenant(db, accountId, livemode);
  const [counter] = await db.query<{ last: number }>({
    text: `insert into counters (tenant, list, last) values ($1, $2, 1)
           on conflict (tenant, list) do update set last = counters.last + 1 returning last`,
    values: [tenant, table],
    scope: { tenant },
  });
  const { names, marks, values } = columnsOf({ tenant, ...fields, seq: counter?.last });
  await db.query({
    text: `insert into ${table} (${names}) values (${marks})`,
    values,
    scope: 'everybody',
  });
}

async function addPayment(
  db: Database,
  accountId: string,
  now: Date,
  fields: PaymentFields,
): Promise<string> {
  const created = fields.created_at ?? now;
  const id = newId('pay', created, randomBytes);
  await insert(db, 'payments', accountId, {
    id,
    status: 'succeeded',
    version: 2,
    event_count: 0,
    amount: 4990,
    currency: 'EUR',
    capture_method: 'automatic',
    method_type: 'card',
    brand: 'visa',
    last4: '1111',
    authentication: 'never',
    request: { amount: 4990, currency: 'EUR', client: { ip: '192.0.2.1', userAgent: null, accept: null } },
    created_at: created,
    ...fields,
  });
  return id;
}

async function addCustomer(
  db: Database,
  accountId: string,
  now: Date,
  fields: CustomerFields,
): Promise<string> {
  const id = newId('cus', now, randomBytes);
  await insert(db, 'customers', accountId, {
    id,
    email_folded: fields.email.toLowerCase(),
    metadata: {},
    created_at: now,
    ...fields,
  });
  return id;
}

async function addRefund(
  db: Database,
  accountId: string,
  payment: string,
  now: Date,
  fields: RefundFields,
): Promise<string> {
  const id = newId('re', now, randomBytes);
  await insert(db, 'refunds', accountId, {
    id,
    payment_id: payment,
    amount: 1000,
    currency: 'EUR',
    status: 'succeeded',
    metadata: {},
    version: 1,
    event_count: 0,
    created_at: now,
    ...fields,
  });
  const tenant = await findTenant(db, accountId, fields.livemode);
  await db.query({
    text: `update payments p set refunded_amount = refunded_amount + r.amount from refunds r
           where r.tenant = $1 and r.id = $2 and r.status <> 'failed' and p.tenant = $1 and p.id = r.payment_id`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
  return id;
}
