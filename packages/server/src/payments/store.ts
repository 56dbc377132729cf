import { type CustomerRow, customerInput, insertCustomers, newCustomerColumns } from '../customers/store.ts';
import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import {
  answerColumns,
  answerInput,
  type Claim,
  claimColumns,
  claimInput,
  claimKeys,
  storeAnswers,
} from '../idempotency/claims.ts';
import type { Lease } from '../operations/operation.ts';
import { convertOperations, endOperations, insertOperations, intentColumns } from '../operations/sql.ts';
import { alertColumns, alertInput, insertAlerts, type NewAlert } from '../payment-alerts/store.ts';
import { insertPaymentMethods, type NewPaymentMethod } from '../payment-methods/store.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { Batcher } from '../store/batcher.ts';
import {
  assigned,
  bigint,
  cte,
  int,
  json,
  jsonRows,
  keyColumns,
  listOf,
  nullable,
  rowsOfJson,
  text,
  time,
  typesOf,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { numbered, parameterRows } from '../store/sql.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import { completeAuditEntriesWithStatus } from '../users/audit/audited-requests.ts';
import { answeredColumns, begunColumns, type PaymentRow, paymentColumns } from './payment.ts';

/** What is committed before the processor is asked: the claim, the payment, a customer made with it, the intent. */
export interface PaymentIntent {
  readonly payment: PaymentRow;
  /** The request without card number and security code. */
  readonly request: object;
  readonly newCustomer: CustomerRow | null;
  readonly operation: { readonly upstreamKey: string; readonly lease: Lease };
  readonly claim: Claim | null;
}

/** What is committed with the processor's answer: new state, event, stored answer. */
export interface PaymentSettlement {
  /** As it is after the change; its `version` and `event_count` are still those that were read. */
  readonly payment: PaymentRow;
  readonly event: NewEvent | null;
  /** A method that this payment saved and that is new here. */
  readonly newMethod: NewPaymentMethod | null;
  /** The saved method that must not be charged any more. */
  readonly goneMethod: string | null;
  readonly settledAt: Date;
  /** SHA-256 of the hosted page's token, in hex, for a payment that now waits for the buyer. */
  readonly checkoutToken: string | null;
  /** Under which key what may still come upstream is cancelled: the operation lives on as that cancellation. */
  readonly cancelKey: string | null;
  readonly alert: NewAlert | null;
  readonly answer: { readonly claim: Claim; readonly status: number; readonly body: string } | null;
}

/** Whether a settlement's event goes to an endpoint. */
type Settled = { readonly hasDeliveries: boolean };

const columns = listOf(paymentColumns);

const intentInput = {
  n: int,
  ...begunColumns,
  request: json<object>(),
  ...intentColumns,
  new_customer: nullable(json<object>()),
  ...claimColumns,
} as const;
const fresh = cte('fresh', intentInput);
const customersIn = cte('customers_in', {
  seq: bigint,
  ...keyColumns,
  ...newCustomerColumns,
  created_at: time,
});

const beginSql = `with input as (select * from ${rowsOfJson(intentInput)}),
  -- A saved method may have been removed since it was chosen: then nothing begins, and the request is looked at again.
  chargeable as (
    select i.* from input i where i.payment_method_id is null or exists (
      select from payment_methods m
      where m.tenant = i.tenant and m.id = i.payment_method_id
        and m.removed_at is null)),
  ${claimKeys(cte('chargeable', intentInput))},
  new_customers as (
    select f.n, f.tenant, f.customer_id as id, f.created_at, c.*
    from fresh f cross join json_to_record(f.new_customer) as c (${typesOf(newCustomerColumns)})
    where f.new_customer is not null),
  ${numbered(customersIn.name, 'customers', cte('new_customers', { n: int, ...keyColumns }))},
  customers_done as (${insertCustomers(customersIn)}),
  ${numbered('payments_in', 'payments', fresh)},
  ${insertOperations(fresh, "'charge'")}
  insert into payments (${listOf(begunColumns)}, seq, version, event_count, request)
  select ${listOf(begunColumns)}, seq, 1, 0, request from payments_in returning id`;

const settlementInput = {
  n: int,
  ...keyColumns,
  version: int,
  ...answeredColumns,
  settled_at: time,
  payment_method_id: nullable(text),
  new_method: nullable(json<NewPaymentMethod>()),
  gone_method: nullable(text),
  checkout_token: nullable(text),
  cancel_key: nullable(text),
  ...alertColumns,
  ...answerColumns,
  ...eventColumns,
} as const;
const won = cte('won', settlementInput);

/** @param alerts CTEs that record alerts with their mails: most commits have none, and need not wait for those tables */
const settleSql = (alerts: string) => `with input as (select * from ${rowsOfJson(settlementInput)}),
  settled as (
    update payments p set ${assigned(answeredColumns, 'i')}, version = p.version + 1,
      event_count = p.event_count + case when i.event_id is null then 0 else 1 end,
      payment_method_id = coalesce(i.payment_method_id, p.payment_method_id)
    from input i
    where p.tenant = i.tenant and p.id = i.id and p.version = i.version
    returning i.n),
  won as (select i.* from input i join settled s on s.n = i.n),
  ${endOperations(won, 's.cancel_key is null')},
  ${convertOperations(won, { kind: "'cancel'", key: 's.cancel_key', condition: 's.cancel_key is not null' })},
  ${completeAuditEntriesWithStatus(won)},
  methods_done as (${insertPaymentMethods(won)}),
  gone_done as (
    update payment_methods m set gone_at = w.settled_at from won w
    where m.tenant = w.tenant and m.id = w.gone_method and m.gone_at is null),
  tokens_done as (
    insert into checkout_tokens (tenant, token_sha256, payment_id, created_at)
    select tenant, decode(checkout_token, 'hex'), id, settled_at from won
    where checkout_token is not null
    on conflict (tenant, token_sha256) do nothing),
  ${alerts}
  ${insertEvents(won)},
  ${storeAnswers(won)}
  select n, exists (select from deliveries_in d where d.event_id = won.event_id) as has_deliveries from won`;

const settleStatement = { name: 'settle_payments', text: settleSql('') };
const settleWithAlerts = {
  name: 'settle_payments_with_alerts',
  text: settleSql(`${insertAlerts(won, 'settled_at')},`),
};

const keyOf = ({ tenant, id }: Pick<PaymentRow, 'tenant' | 'id'>) => `${tenant} ${id}`;

/** The commits of payments, and reading one. */
export class PaymentStore {
  readonly #db: Database;
  readonly #begin: Batcher<PaymentIntent, boolean>;
  readonly #settle: Batcher<PaymentSettlement, Settled | undefined>;
  readonly #find: Batcher<Pick<PaymentRow, 'tenant' | 'id'>, PaymentRow | undefined>;

  /** @param fanOutOf how many deliveries an event of a tenant writes; absent: none worth counting */
  constructor(db: Database, fanOutOf: (tenant: TenantId) => number = () => 0) {
    this.#db = db;
    this.#begin = new Batcher<PaymentIntent, boolean>((rows) => this.#beginAll(rows), {
      keyOf: ({ payment, claim }) =>
        claim === null ? keyOf(payment) : `${payment.tenant} ${claim.scope} ${claim.key}`,
    });
    this.#settle = new Batcher<PaymentSettlement, Settled | undefined>((rows) => this.#settleAll(rows), {
      keyOf: ({ payment }) => keyOf(payment),
      fanOutOf: ({ payment, event }) => (event === null ? 0 : fanOutOf(payment.tenant)),
    });
    this.#find = new Batcher<Pick<PaymentRow, 'tenant' | 'id'>, PaymentRow | undefined>(async (keys) => {
      const rows = await db.query<PaymentRow & { n: number }>({
        name: 'find_payments',
        text: `select s.n::int, ${columns} from ${parameterRows('int', 'text')}
                 with ordinality as s (tenant, id, n) join payments using (tenant, id)`,
        values: [keys.map((key) => key.tenant), keys.map((key) => key.id)],
        scope: keys,
      });
      // The place in the batch must not travel on with the row: it would pass for a place in another batch.
      const found = new Map(rows.map(({ n, ...row }) => [n, row]));
      return keys.map((_key, index) => found.get(index + 1));
    });
  }

  /** Commit 1. False where another request has the idempotency key, or the method was removed: nothing was written. */
  begin(intent: PaymentIntent): Promise<boolean> {
    return this.#begin.submit(intent);
  }

  async #beginAll(intents: readonly PaymentIntent[]): Promise<boolean[]> {
    const input = intents.map(({ payment, request, newCustomer, operation, claim }, n) => {
      const more = {
        n,
        request,
        upstream_key: operation.upstreamKey,
        lease_owner: operation.lease.owner,
        lease_until: operation.lease.until,
        new_customer: newCustomer && customerInput(newCustomer),
        ...claimInput(claim),
      };
      return [payment, more] as const;
    });
    const rows = await this.#db.query<{ id: string }>({
      name: 'begin_payments',
      text: beginSql,
      values: [jsonRows(intentInput, input)],
      scope: intents.map(({ payment }) => payment),
    });
    const begun = new Set(rows.map((row) => row.id));
    return intents.map(({ payment }) => begun.has(payment.id));
  }

  /** Commit 2. Undefined where the payment changed since it was read: then nothing was written. */
  settle(settlement: PaymentSettlement): Promise<Settled | undefined> {
    return this.#settle.submit(settlement);
  }

  async #settleAll(settlements: readonly PaymentSettlement[]): Promise<(Settled | undefined)[]> {
    const input = settlements.map((settlement, n) => {
      const { payment, settledAt } = settlement;
      const more = {
        n,
        new_method: settlement.newMethod,
        gone_method: settlement.goneMethod,
        settled_at: settledAt,
        checkout_token: settlement.checkoutToken,
        cancel_key: settlement.cancelKey,
        ...answerInput(settlement.answer),
        ...alertInput(settlement.alert),
        ...eventInput(settlement.event, settledAt),
      };
      return [payment, more] as const;
    });
    const rows = await this.#db.query<{ n: number; has_deliveries: boolean }>({
      ...(settlements.some(({ alert }) => alert !== null) ? settleWithAlerts : settleStatement),
      values: [jsonRows(settlementInput, input)],
      scope: settlements.map(({ payment }) => payment),
    });
    const done = new Map(rows.map((row) => [row.n, { hasDeliveries: row.has_deliveries }]));
    return settlements.map((_settlement, n) => done.get(n));
  }

  find(tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
    return this.#find.submit({ tenant: tenant.tenant, id });
  }

  /**
   * Keeps ids that the upstream sent outside of an answer; what is known already stays, except on a failed payment:
   * there only what was charged all the same is still of use, and has to be given back.
   */
  async noteUpstream(payment: PaymentRow, upstream: UpstreamIds): Promise<void> {
    await this.#db.query({
      name: 'note_upstream',
      text: `update payments set upstream = case status when 'failed' then (upstream::jsonb || $3::jsonb)::json
               else ($3::jsonb || upstream::jsonb)::json end
             where tenant = $1 and id = $2`,
      values: [payment.tenant, payment.id, JSON.stringify(upstream)],
      scope: payment,
    });
  }

  /** The request as it was kept: without card number and security code. */
  async requestOf<T>(payment: PaymentRow): Promise<T> {
    const [row] = await this.#db.query<{ request: T }>({
      name: 'request_of_payment',
      text: 'select request from payments where tenant = $1 and id = $2',
      values: [payment.tenant, payment.id],
      scope: payment,
    });
    if (row === undefined) throw new Error(`${payment.id} is gone`);
    return row.request;
  }
}
