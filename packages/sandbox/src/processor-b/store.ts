import { columnsOf, databaseJson } from '../json.ts';
import type { SandboxDatabase } from '../parts.ts';
import type { Order } from './order.ts';

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
  change(order: Order, version: number, at: Date): Promise<boolean>;
  find(key: RequestKey, by: 'id' | 'authorization_id' | 'capture_id', id: string): Promise<Found>;
  /** An order of any account, for the buyer's pages. */
  read(id: string): Promise<{ readonly order: Order; readonly version: number } | null>;
}

// An id without an answer is free again after 12 seconds, longer than the slowest answer, so that a crash does not
// block it for ever.
const keepRequest = `
insert into sandbox.order_requests as request
  (merchant_account, operation, request_id, owner, started_at, expires_at, status, body)
select merchant_account, operation, request_id, owner, at, expires_at, status, body
from incoming
where request_id is not null and (expected = 0 or exists (select from held))
on conflict (merchant_account, operation, request_id) do update
  set owner = excluded.owner, started_at = excluded.started_at, expires_at = excluded.expires_at,
      status = excluded.status, body = excluded.body
  where request.owner = excluded.owner and request.status is null
    or request.expires_at <= excluded.started_at
    or (request.status is null and request.started_at <= excluded.started_at - interval '12 seconds')
returning owner`;

const incoming = `
select * from json_to_record($1::json) as step (
  merchant_account text, operation text, request_id text, owner text, at timestamptz, expires_at timestamptz,
  status integer, body text,
  id text, expected integer, state jsonb, authorization_id text, capture_id text, paid_invoice text,
  reference text, psp_reference text, amount bigint, currency text, charge_status text,
  brand text, bin text, last4 text, expiry_month smallint, expiry_year smallint, received jsonb
)`;

const claimSql = `
with incoming as (${incoming}), held as (select where false), kept as (${keepRequest})
select owner from kept`;

const releaseSql = `
delete from sandbox.order_requests
where merchant_account = $1 and operation = $2 and request_id = $3 and owner = $4 and status is null`;

// The order's row is locked first, so that of two changes at once the second finds its version gone.
const commitSql = `
with incoming as (${incoming}
), held as (
  select o.id from sandbox.orders o join incoming i on o.id = i.id and o.version = i.expected for update of o
), kept as (${keepRequest}
), granted as (
  select * from incoming
  where (expected = 0 or exists (select from held)) and (request_id is null or exists (select from kept))
), created as (
  insert into sandbox.orders (id, merchant_account, version, state, authorization_id, capture_id, paid_invoice)
  select id, merchant_account, 1, state, authorization_id, capture_id, paid_invoice
  from granted where expected = 0
), moved as (
  update sandbox.orders o
  set version = o.version + 1, state = g.state, authorization_id = g.authorization_id,
      capture_id = g.capture_id, paid_invoice = g.paid_invoice
  from granted g where o.id = g.id and g.expected > 0
), charged as (
  insert into sandbox.charges as charge
    (merchant_account, reference, psp_reference, amount, currency, status,
     brand, bin, last4, expiry_month, expiry_year, received, created_at)
  select merchant_account, reference, psp_reference, amount, currency, charge_status,
         brand, bin, last4, expiry_month, expiry_year, received, at
  from granted where charge_status is not null
  on conflict (merchant_account, reference, psp_reference) do update
    set status = excluded.status, amount = excluded.amount
)
select exists (select from granted) as granted, expected > 0 and not exists (select from held) as stale
from incoming`;

const findSql = (column: string): string => `
select o.version, o.state, r.status, r.body, r.owner
from (select $1::text as merchant_account) account
left join sandbox.orders o on o.merchant_account = account.merchant_account and o.${column} = $2
left join sandbox.order_requests r
  on r.merchant_account = account.merchant_account and r.operation = $3 and r.request_id = $4
  and r.expires_at > $5 and (r.status is not null or r.started_at > $5::timestamptz - interval '12 seconds')`;

const findSqls = {
  id: findSql('id'),
  authorization_id: findSql('authorization_id'),
  capture_id: findSql('capture_id'),
};

function keyColumns(key: RequestKey) {
  return {
    merchant_account: key.merchantAccount,
    operation: key.operation,
    request_id: key.requestId,
    owner: key.owner,
    at: key.at.toISOString(),
    expires_at: new Date(key.at.getTime() + key.keptMs).toISOString(),
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
    psp_reference: payment.id,
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

function stepColumns({ key, order, version, answer }: Step) {
  return {
    ...keyColumns(key),
    ...answer,
    id: order.id,
    expected: version,
    state: order,
    authorization_id: order.authorization?.id ?? null,
    capture_id: order.capture?.id ?? null,
    ...chargeColumns(order),
  };
}

function breaksInvoice(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'orders_paid_invoice';
}

function orderOf(state: unknown): Order {
  return columnsOf(state) as unknown as Order;
}

/** The tables behind the simulator of processor_b. */
export function createOrderStore(database: SandboxDatabase): OrderStore {
  return {
    async claim(key) {
      const { rows } = await database.query(claimSql, [databaseJson({ ...keyColumns(key), expected: 0 })]);
      return rows.length === 1;
    },
    async release({ merchantAccount, operation, requestId, owner }) {
      await database.query(releaseSql, [merchantAccount, operation, requestId, owner]);
    },
    async commit(step) {
      try {
        const { rows } = await database.query(commitSql, [databaseJson(stepColumns(step))]);
        const { granted, stale } = columnsOf(rows[0]);
        if (granted === true) return 'done';
        return stale === true ? 'stale' : 'taken';
      } catch (error) {
        if (breaksInvoice(error)) return 'duplicate_invoice';
        throw error;
      }
    },
    async change(order, version, at) {
      const owner = order.id;
      const key = {
        merchantAccount: order.merchantAccount,
        operation: 'buyer',
        requestId: null,
        owner,
        at,
        keptMs: 0,
      };
      const step = { ...stepColumns({ key, order, version, answer: { status: 0, body: '' } }) };
      const { rows } = await database.query(commitSql, [databaseJson(step)]);
      return columnsOf(rows[0]).granted === true;
    },
    async find(key, by, id) {
      const { merchantAccount, operation, requestId, at } = key;
      const values = [merchantAccount, id, operation, requestId, at.toISOString()];
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
