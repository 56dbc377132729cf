import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson } from '../../lib/json.ts';
import { effectsOf } from '../events/effects.ts';
import type { Order } from '../model/order.ts';
import { ledgerStatus } from '../model/refund-status.ts';
import { claimSql, commitSql, findSqls, releaseSql } from './store-sql.ts';

/** How a request is known by its PayPal-Request-Id. `owner` is the token by which it holds the id. */
export interface RequestKey {
  readonly merchantAccount: string;
  readonly operation: string;
  /** Null for a request without an id: it is executed every time. */
  readonly requestId: string | null;
  readonly owner: string;
  readonly at: Date;
  readonly keptMs: number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** An order's next state together with the answer, which are written at once or not at all. */
export interface Step {
  readonly key: RequestKey;
  /** As it was read; null for a new order. */
  readonly before: Order | null;
  readonly order: Order;
  /** The version that was read; 0 for a new order. */
  readonly version: number;
  readonly answer: Answer;
}

/** `stale`: the order has changed since it was read. `taken`: an earlier request has the id. Neither had any effect. */
export type Committed = 'done' | 'stale' | 'taken' | 'duplicate_invoice';

export interface Found {
  readonly order: Order | null;
  readonly version: number;
  /** The answer under this request's id, or that an earlier request with it is under way. */
  readonly earlier: Answer | 'in_progress' | null;
}

export interface OrderStore {
  /** Holds the id for work that takes a while; false where an earlier request has it. */
  claim(key: RequestKey): Promise<boolean>;
  release(key: RequestKey): Promise<void>;
  commit(step: Step): Promise<Committed>;
  /** What the buyer does to an order: nothing is answered and nothing charged. False where it has changed meanwhile. */
  change(read: { readonly order: Order; readonly version: number }, next: Order, at: Date): Promise<boolean>;
  find(key: RequestKey, by: 'id' | 'authorization_id' | 'capture_id', id: string): Promise<Found>;
  /** An order of any account, for the buyer's pages. */
  read(id: string): Promise<{ readonly order: Order; readonly version: number } | null>;
}

const idempotencyKeyOf = ({ operation, requestId }: RequestKey) =>
  requestId === null ? null : `${operation} ${requestId}`;

/** What began until then is forgotten. */
const keptSince = ({ at, keptMs }: RequestKey) => new Date(at.getTime() - keptMs).toISOString();

function keyColumns(key: RequestKey) {
  return {
    merchant_account: key.merchantAccount,
    idempotency_key: idempotencyKeyOf(key),
    owner: key.owner,
    at: key.at.toISOString(),
    kept_since: keptSince(key),
  };
}

/** The order as a line of the ledger: what is held or was taken, and nothing where the issuer said no. */
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
    // One line for one hold, under its first id.
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

/** Orders from before savings and refunds lack these. */
const notKnownThen = { saving: null, vaulted: null, stored: null, refunds: [] };

/** An order as its row holds it. */
export function orderOf(state: unknown): Order {
  return { ...notKnownThen, ...columnsOf(state) } as unknown as Order;
}

/** The tables behind the simulator of processor_b. */
export function createOrderStore({
  database,
  sharesLog,
}: Pick<SandboxDependencies, 'database' | 'sharesLog'>): OrderStore {
  const waits = sharesLog !== true;
  const [claim, commit] = [claimSql(waits), commitSql(waits)];
  // A buyer's browser sees it, and nothing of ours follows that would make it durable.
  const change = commitSql(true);
  return {
    async claim(key) {
      const { rows } = await database.query(claim, [databaseJson({ ...keyColumns(key), expected: 0 })]);
      return rows.length === 1;
    },
    async release(key) {
      await database.query(releaseSql, [key.merchantAccount, idempotencyKeyOf(key), key.owner]);
    },
    async commit(step) {
      try {
        const { rows } = await database.query(commit, [databaseJson(stepColumns(step))]);
        const { granted, stale } = columnsOf(rows[0]);
        if (granted === true) return 'done';
        return stale === true ? 'stale' : 'taken';
      } catch (error) {
        if (breaksInvoice(error)) return 'duplicate_invoice';
        throw error;
      }
    },
    async change({ order: before, version }, order, at) {
      const owner = order.id;
      const key = {
        merchantAccount: order.merchantAccount,
        operation: 'buyer',
        requestId: null,
        owner,
        at,
        keptMs: 0,
      };
      const step = stepColumns({ key, before, order, version, answer: { status: 0, body: '' } });
      const { rows } = await database.query(change, [databaseJson(step)]);
      return columnsOf(rows[0]).granted === true;
    },
    async find(key, by, id) {
      const values = [key.merchantAccount, id, idempotencyKeyOf(key), keptSince(key), key.at.toISOString()];
      const { rows } = await database.query(findSqls[by], values);
      const { version, state, status, body, owner } = columnsOf(rows[0]);
      const underWay = owner !== null && status === null && owner !== key.owner;
      const answered = typeof status === 'number' ? { status, body: String(body) } : null;
      return {
        order: state === null ? null : orderOf(state),
        version: Number(version),
        earlier: answered ?? (underWay ? 'in_progress' : null),
      };
    },
    async read(id) {
      const { rows } = await database.query('select version, state from sandbox.orders where id = $1', [id]);
      if (rows.length === 0) return null;
      const { version, state } = columnsOf(rows[0]);
      return { order: orderOf(state), version: Number(version) };
    },
  };
}
