import type { PaymentListQuery } from '@till/contract';
import { type CustomerRow, customerColumns, customerInput, insertCustomers } from '../customers/store.ts';
import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import { type Claim, claimColumns, claimInput, claimKeys, storeAnswers } from '../idempotency/claims.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import type { PaymentRow } from './present.ts';

interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** What is committed before the processor is asked: the claim, the payment, a customer made with it, the intent. */
export interface PaymentIntent {
  readonly payment: PaymentRow;
  /** The request without card number and security code. */
  readonly request: object;
  readonly newCustomer: CustomerRow | null;
  readonly operation: { readonly id: string; readonly upstreamKey: string };
  readonly claim: Claim | null;
}

/** What is committed with the processor's answer: new state, event, stored answer. */
export interface PaymentSettlement {
  /** As it is after the change; its `version` and `event_count` are still those that were read. */
  readonly payment: PaymentRow;
  readonly event: NewEvent | null;
  readonly settledAt: Date;
  readonly answer: { readonly claim: Claim; readonly status: number; readonly body: string } | null;
}

const columns = `account_id, livemode, id, status, version, event_count, amount, currency, customer_id, reference,
  shopper_statement, capture_method, method_type, brand, bin, last4, exp_month, exp_year, payment_method_id,
  renews_payment, failure_code, three_d_secure, avs, upstream_reference, network_transaction_reference, created_at`;

const paymentColumns = `account_id text, livemode boolean, id text, status text, amount bigint, currency text,
  customer_id text, reference text, shopper_statement text, capture_method text, method_type text, brand text, bin text,
  last4 text, exp_month int, exp_year int, renews_payment text, request json, created_at timestamptz`;

const beginSql = `with input as (
    select * from json_to_recordset($1::json) as r (n int, ${paymentColumns}, operation_id text, upstream_key text,
      new_customer json, ${claimColumns})),
  ${claimKeys('input')},
  new_customers as (
    select f.n, f.account_id, f.livemode, f.customer_id as id, f.created_at, c.*
    from fresh f cross join json_to_record(f.new_customer) as c (${customerColumns})
    where f.new_customer is not null),
  ${numbered('customers_in', 'customers', 'new_customers')},
  customers_done as (${insertCustomers('customers_in')}),
  ${numbered('payments_in', 'payments', 'fresh')},
  operations_done as (
    insert into operations (account_id, livemode, id, payment_id, kind, upstream_key, state, created_at)
    select account_id, livemode, operation_id, id, 'charge', upstream_key, 'intent', created_at from fresh)
  insert into payments (account_id, livemode, id, seq, status, version, event_count, amount, currency, customer_id,
    reference, shopper_statement, capture_method, method_type, brand, bin, last4, exp_month, exp_year, renews_payment,
    request, created_at)
  select account_id, livemode, id, seq, status, 1, 0, amount, currency, customer_id, reference, shopper_statement,
    capture_method, method_type, brand, bin, last4, exp_month, exp_year, renews_payment, request, created_at
  from payments_in returning id`;

const settleSql = `with input as (
    select * from json_to_recordset($1::json) as r (n int, account_id text, livemode boolean, id text, version int,
      status text, failure_code text, brand text, bin text, last4 text, exp_month int, exp_year int,
      three_d_secure json, avs json, upstream_reference text, network_transaction_reference text,
      settled_at timestamptz, idem_scope text, idem_key text, idem_status int, idem_body text, ${eventColumns})),
  settled as (
    update payments p set status = i.status, version = p.version + 1,
      event_count = p.event_count + case when i.event_id is null then 0 else 1 end,
      failure_code = i.failure_code, brand = i.brand, bin = i.bin, last4 = i.last4, exp_month = i.exp_month,
      exp_year = i.exp_year, three_d_secure = i.three_d_secure, avs = i.avs,
      upstream_reference = i.upstream_reference, network_transaction_reference = i.network_transaction_reference
    from input i
    where p.account_id = i.account_id and p.livemode = i.livemode and p.id = i.id and p.version = i.version
    returning i.n),
  won as (select i.* from input i join settled s on s.n = i.n),
  operations_done as (
    update operations o set state = 'settled', settled_at = w.settled_at from won w
    where o.account_id = w.account_id and o.livemode = w.livemode and o.payment_id = w.id and o.state <> 'settled'),
  ${insertEvents('won')},
  ${storeAnswers('won')}
  select n from won`;

const keyOf = (row: { account_id: string; livemode: boolean; id: string }) =>
  `${row.account_id} ${row.livemode} ${row.id}`;

/** All SQL on payments and their operations. */
export class PaymentStore {
  readonly #db: Database;
  readonly #begin: Batcher<PaymentIntent, boolean>;
  readonly #settle: Batcher<PaymentSettlement, boolean>;
  readonly #find: Batcher<Tenant & { id: string }, PaymentRow | undefined>;

  constructor(db: Database) {
    this.#db = db;
    this.#begin = new Batcher<PaymentIntent, boolean>((rows) => this.#beginAll(rows), {
      keyOf: ({ payment, claim }) =>
        claim === null
          ? keyOf(payment)
          : `${payment.account_id} ${payment.livemode} ${claim.scope} ${claim.key}`,
    });
    this.#settle = new Batcher<PaymentSettlement, boolean>((rows) => this.#settleAll(rows), {
      keyOf: ({ payment }) => keyOf(payment),
    });
    this.#find = new Batcher<Tenant & { id: string }, PaymentRow | undefined>(async (keys) => {
      const rows = await db.query<PaymentRow & { n: number }>({
        name: 'find_payments',
        text: `select s.n::int, ${columns} from unnest($1::text[], $2::boolean[], $3::text[])
                 with ordinality as s (account_id, livemode, id, n) join payments using (account_id, livemode, id)`,
        values: [
          keys.map((key) => key.accountId),
          keys.map((key) => key.livemode),
          keys.map((key) => key.id),
        ],
      });
      // The place in the batch must not travel on with the row: it would pass for a place in another batch.
      const found = new Map(rows.map(({ n, ...row }) => [n, row]));
      return keys.map((_key, index) => found.get(index + 1));
    });
  }

  /** Commit 1. False where another request claimed the idempotency key: then nothing was written. */
  begin(intent: PaymentIntent): Promise<boolean> {
    return this.#begin.submit(intent);
  }

  async #beginAll(intents: readonly PaymentIntent[]): Promise<boolean[]> {
    const input = intents.map(({ payment, request, newCustomer, operation, claim }, n) => ({
      ...payment,
      n,
      request,
      operation_id: operation.id,
      upstream_key: operation.upstreamKey,
      new_customer: newCustomer && customerInput(newCustomer),
      ...claimInput(claim),
    }));
    const rows = await this.#db.query<{ id: string }>({
      name: 'begin_payments',
      text: beginSql,
      values: [JSON.stringify(input)],
    });
    const begun = new Set(rows.map((row) => row.id));
    return intents.map(({ payment }) => begun.has(payment.id));
  }

  /** Commit 2. False where the payment changed since it was read: then nothing was written. */
  settle(settlement: PaymentSettlement): Promise<boolean> {
    return this.#settle.submit(settlement);
  }

  async #settleAll(settlements: readonly PaymentSettlement[]): Promise<boolean[]> {
    const input = settlements.map(({ payment, event, settledAt, answer }, n) => ({
      ...payment,
      n,
      settled_at: settledAt,
      idem_scope: answer?.claim.scope ?? null,
      idem_key: answer?.claim.key ?? null,
      idem_status: answer?.status ?? null,
      idem_body: answer?.body ?? null,
      ...eventInput(event, settledAt),
    }));
    const rows = await this.#db.query<{ n: number }>({
      name: 'settle_payments',
      text: settleSql,
      values: [JSON.stringify(input)],
    });
    const done = new Set(rows.map((row) => row.n));
    return settlements.map((_settlement, n) => done.has(n));
  }

  /** The processor's answer is not known: the operation stays open until somebody asks again. */
  async markUnknown(payment: PaymentRow): Promise<void> {
    await this.#db.query({
      name: 'mark_operation_unknown',
      text: `update operations set state = 'unknown'
             where account_id = $1 and livemode = $2 and payment_id = $3 and state = 'intent'`,
      values: [payment.account_id, payment.livemode, payment.id],
    });
  }

  /** Keeps an answer for a payment that was settled under another request. */
  async storeAnswer(
    payment: PaymentRow,
    answer: { claim: Claim; status: number; body: string },
  ): Promise<void> {
    await this.#db.query({
      name: 'store_answer',
      text: `update idempotency_keys set state = 'done', status = $5, body = $6
             where account_id = $1 and livemode = $2 and scope = $3 and key = $4`,
      values: [
        payment.account_id,
        payment.livemode,
        answer.claim.scope,
        answer.claim.key,
        answer.status,
        answer.body,
      ],
    });
  }

  /** The key under which the processor was asked for what is not settled yet. */
  async openUpstreamKey(payment: PaymentRow): Promise<string | undefined> {
    const [row] = await this.#db.query<{ upstream_key: string }>({
      name: 'open_upstream_key',
      text: `select upstream_key from operations
             where account_id = $1 and livemode = $2 and payment_id = $3 and state <> 'settled'`,
      values: [payment.account_id, payment.livemode, payment.id],
    });
    return row?.upstream_key;
  }

  find(tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
    return this.#find.submit({ accountId: tenant.accountId, livemode: tenant.livemode, id });
  }

  /**
   * One page, newest first, with the number of all. Payments without an answer are left out; they are few, so their
   * number is counted exactly and the page is moved by it.
   */
  async list(tenant: Tenant, query: PaymentListQuery): Promise<{ rows: PaymentRow[]; total: number }> {
    const { page = 1, per_page: perPage = 20, ...filters } = query;
    const offset = (page - 1) * perPage;
    const rows =
      Object.keys(filters).length === 0
        ? await this.#plainPage(tenant, offset, perPage)
        : await this.#filteredPage(tenant, filters, offset, perPage);
    return {
      rows: rows.filter((row): row is PaymentRow & { total: number } => row.id != null),
      total: rows[0]?.total ?? 0,
    };
  }

  #plainPage(tenant: Tenant, offset: number, perPage: number) {
    return this.#db.query<Partial<PaymentRow> & { total: number }>({
      name: 'list_payments',
      text: `with k as (
               select last from counters where account_id = $1 and livemode = $2 and list = 'payments'),
             hidden as materialized (
               select seq from payments where account_id = $1 and livemode = $2 and status = 'processing')
             select k.last - (select count(*) from hidden) as total, p.* from k
             left join lateral (
               select ${columns}, seq from payments
               where account_id = $1 and livemode = $2 and status <> 'processing' and seq <= k.last - $3::bigint
               order by seq desc
               offset (select count(*) from hidden where seq > k.last - $3::bigint) limit $4) p on true
             order by p.seq desc`,
      values: [tenant.accountId, tenant.livemode, offset, perPage],
    });
  }

  #filteredPage(
    tenant: Tenant,
    filters: Omit<PaymentListQuery, 'page' | 'per_page'>,
    offset: number,
    perPage: number,
  ) {
    const conditions = ['account_id = $1', 'livemode = $2', "status <> 'processing'"];
    const values: unknown[] = [tenant.accountId, tenant.livemode];
    const where = (condition: (parameter: string) => string, value: unknown) => {
      if (value === undefined) return;
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    where((p) => `status = ${p}`, filters.status);
    where((p) => `customer_id = ${p}`, filters.customer);
    where((p) => `reference = ${p}`, filters.reference);
    where((p) => `method_type = ${p}`, filters.payment_method_type);
    where((p) => `created_at >= to_timestamp(${p})`, filters.created_gte);
    where((p) => `created_at < to_timestamp(${p})`, filters.created_lt);
    values.push(offset, perPage);
    const matching = `from payments where ${conditions.join(' and ')}`;
    return this.#db.query<Partial<PaymentRow> & { total: number }>({
      text: `select t.total, p.* from (select count(*) as total ${matching}) t
             left join lateral (
               select ${columns}, seq ${matching} order by seq desc
               offset $${values.length - 1} limit $${values.length}) p on true
             order by p.seq desc`,
      values,
    });
  }
}
