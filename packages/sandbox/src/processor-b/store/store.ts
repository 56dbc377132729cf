import { unbatched } from '../../lib/batch.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson } from '../../lib/json.ts';
import { effectsOf } from '../events/effects.ts';
import type { Order } from '../model/order.ts';
import { ledgerStatus } from '../model/refund-status.ts';
import { claimSql, commitSql, findSqls, readSql, releaseSql } from './store-sql.ts';

/** Identifies a request by its PayPal-Request-Id. `owner` proves that this request holds the id. */
export interface RequestKey {
  readonly merchantAccount: string;
  readonly operation: string;
  /** Null for a request without an id, which is executed every time. */
  readonly requestId: string | null;
  readonly owner: string;
  readonly at: Date;
  readonly retentionMs: number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** An order's next state and the response, which are written atomically. */
export interface Step {
  readonly key: RequestKey;
  /** The order as it was read. Null for a new one. */
  readonly before: Order | null;
  readonly order: Order;
  /** The version that was read. 0 for a new order. */
  readonly version: number;
  readonly answer: Answer;
}

/**
 * `stale`: the order has changed since it was read. `taken`: an earlier request has the id. Neither has any
 * effect.
 */
export type Committed = 'done' | 'stale' | 'taken' | 'duplicate_invoice';

export interface Found {
  readonly order: Order | null;
  readonly version: number;
  /** The response to an earlier request with this id, or `in_progress` if that request is still in flight. */
  readonly earlier: Answer | 'in_progress' | null;
}

export interface OrderStore {
  /** Claims the id for a slow operation. Returns false if an earlier request has it. */
  claim(key: RequestKey): Promise<boolean>;
  release(key: RequestKey): Promise<void>;
  commit(step: Step): Promise<Committed>;
  /**
   * Writes a change that the buyer made, without a response or a charge. Returns false if the order was
   * changed concurrently.
   */
  change(read: { readonly order: Order; readonly version: number }, next: Order, at: Date): Promise<boolean>;
  find(key: RequestKey, by: 'id' | 'authorization_id' | 'capture_id', id: string): Promise<Found>;
  /** Reads an order of any account, for the buyer's pages. */
  read(id: string): Promise<{ readonly order: Order; readonly version: number } | null>;
}

const idempotencyKeyOf = ({ operation, requestId }: RequestKey) =>
  requestId === null ? null : `${operation} ${requestId}`;

/** Requests that started before this time are no longer remembered. */
const keptSince = ({ at, retentionMs }: RequestKey) => new Date(at.getTime() - retentionMs).toISOString();

function keyColumns(key: RequestKey) {
  return {
    merchant_account: key.merchantAccount,
    idempotency_key: idempotencyKeyOf(key),
    owner: key.owner,
    at: key.at.toISOString(),
    kept_since: keptSince(key),
  };
}

/** The order's row in the ledger: what it holds or has captured. Empty if the issuer declined. */
function chargeColumns(order: Order) {
  const { authorization, capture, card } = order;
  const captured = capture?.status === 'COMPLETED' ? capture : null;
  const held = authorization === null || authorization.status === 'DENIED' ? null : authorization;
  const payment = held ?? captured;
  if (payment === null) return {};
  const released = held?.status === 'VOIDED';
  const [year, month] = card?.expiry.split('-') ?? [];
  return {
    reference: order.reference,
    // A reauthorized hold keeps its row, under its first id.
    psp_reference: held?.reauthorizes ?? payment.id,
    amount: captured?.minorAmount ?? order.minorAmount,
    currency: order.money.currency_code,
    charge_status: released ? 'voided' : captured === null ? 'authorized' : 'captured',
    brand: card?.brand ?? null,
    bin: card?.bin ?? null,
    last4: card?.last4 ?? null,
    expiry_month: month === undefined ? null : Number(month),
    expiry_year: year === undefined ? null : Number(year),
    received: order.received,
    paid_invoice: order.invoiceId,
  };
}

function refundColumns({ refunds }: Order, now: Date) {
  return refunds.map((refund) => ({
    reference: refund.reference,
    upstream_id: refund.id,
    amount: refund.minorAmount,
    currency: refund.amount.currency_code,
    status: ledgerStatus(refund, now),
    received: refund.received,
    created_at: refund.createdAt,
  }));
}

function effectColumns(before: Order | null, order: Order, at: Date) {
  const { kept, retired, dispute, events, withdrawn } = effectsOf(before, order, at);
  const { token, shopper, customerId, facts } = kept?.instrument ?? {};
  return {
    token,
    shopper,
    customer_id: customerId,
    facts,
    kept_from: kept?.from,
    retired,
    refunds: refundColumns(order, at),
    dispute: dispute ?? undefined,
    dispute_id: dispute?.id,
    dispute_opened: dispute?.steps[0]?.at,
    events,
    withdrawn,
  };
}

function stepColumns({ key, before, order, version, answer }: Step) {
  return {
    ...keyColumns(key),
    ...answer,
    id: order.id,
    expected: version,
    state: order,
    authorization_id: order.authorization?.id ?? null,
    capture_id: order.capture?.id ?? null,
    ...chargeColumns(order),
    ...effectColumns(before, order, key.at),
  };
}

function breaksInvoice(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'orders_paid_invoice';
}

/** Defaults of fields that orders from before saving and refunds lack. */
const notKnownThen = { saving: null, vaulted: null, stored: null, refunds: [] };

/** Reads an order from its row. */
export function orderOf(state: unknown): Order {
  return { ...notKnownThen, ...columnsOf(state) } as unknown as Order;
}

interface Question {
  readonly key: RequestKey;
  readonly id: string;
}

async function findAll(
  database: SandboxDatabase,
  sql: string,
  questions: readonly Question[],
): Promise<readonly Found[]> {
  const asked = questions.map(({ key, id }, n) => ({ ...keyColumns(key), n, id }));
  const { rows } = await database.query(sql, [databaseJson(asked)]);
  const found = new Map(rows.map(columnsOf).map((row) => [row.n, row]));
  return questions.map(({ key }, n) => {
    const { version, state, status, body, owner } = columnsOf(found.get(n));
    const underWay = owner !== null && status === null && owner !== key.owner;
    const answered = typeof status === 'number' ? { status, body: String(body) } : null;
    return {
      order: state === null ? null : orderOf(state),
      version: Number(version),
      earlier: answered ?? (underWay ? 'in_progress' : null),
    };
  });
}

async function readAll(database: SandboxDatabase, ids: readonly string[]) {
  const { rows } = await database.query(readSql, [[...new Set(ids)]]);
  const read = new Map(rows.map(columnsOf).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = read.get(id);
    return row === undefined ? null : { order: orderOf(row.state), version: Number(row.version) };
  });
}

type StepColumns = ReturnType<typeof stepColumns>;

async function commitAll(
  database: SandboxDatabase,
  sql: string,
  steps: readonly StepColumns[],
): Promise<readonly Committed[]> {
  const { rows } = await database.query(sql, [databaseJson(steps)]);
  const results = new Map(rows.map(columnsOf).map((row) => [row.owner, row]));
  return steps.map(({ owner }) => {
    const { granted, stale } = columnsOf(results.get(owner));
    if (granted === true) return 'done';
    return stale === true ? 'stale' : 'taken';
  });
}

/** The batching key. A statement never has two steps of one order, or two new orders with one request id. */
const conflictOf = ({ expected, id, merchant_account, idempotency_key }: StepColumns) =>
  expected > 0 || idempotency_key === null ? id : JSON.stringify([merchant_account, idempotency_key]);

/**
 * Creates the access to the tables of processor_b's simulator. Concurrent requests share a statement if
 * `batch` is given.
 */
export function createOrderStore({
  database,
  sharesLog,
  batch = unbatched,
}: Pick<SandboxDependencies, 'database' | 'sharesLog' | 'batch'>): OrderStore {
  const waits = sharesLog !== true;
  const [claimOne, commitMany, changeMany] = [claimSql(waits), commitSql(waits), commitSql(true)];
  const commitOne = batch(
    (steps: readonly StepColumns[]) => commitAll(database, commitMany, steps),
    conflictOf,
  );
  // Always waits for the disk: the buyer's browser sees the change, and no later commit of the merchant's
  // side makes it durable.
  const changeOne = batch(
    (steps: readonly StepColumns[]) => commitAll(database, changeMany, steps),
    conflictOf,
  );
  const findOneBy = (sql: string) =>
    batch((questions: readonly Question[]) => findAll(database, sql, questions));
  const findOne = {
    id: findOneBy(findSqls.id),
    authorization_id: findOneBy(findSqls.authorization_id),
    capture_id: findOneBy(findSqls.capture_id),
  };
  const readOne = batch((ids: readonly string[]) => readAll(database, ids));
  return {
    async claim(key) {
      const { rows } = await database.query(claimOne, [databaseJson([{ ...keyColumns(key), expected: 0 }])]);
      return rows.length === 1;
    },
    async release(key) {
      await database.query(releaseSql, [key.merchantAccount, idempotencyKeyOf(key), key.owner]);
    },
    async commit(step) {
      try {
        return await commitOne(stepColumns(step));
      } catch (error) {
        if (breaksInvoice(error)) return 'duplicate_invoice';
        throw error;
      }
    },
    async change({ order: before, version }, order, at) {
      const { merchantAccount, id: owner } = order;
      const key = { merchantAccount, operation: 'buyer', requestId: null, owner, at, retentionMs: 0 };
      const step = stepColumns({ key, before, order, version, answer: { status: 0, body: '' } });
      return (await changeOne(step)) === 'done';
    },
    find: (key, by, id) => findOne[by]({ key, id }),
    read: readOne,
  };
}
