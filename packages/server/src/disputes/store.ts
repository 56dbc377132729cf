import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import { answerColumns, answerInput, type Claim, storeAnswers } from '../idempotency/claims.ts';
import { insertMails, mailColumns, type NewMail } from '../mail/store.ts';
import { endOperations } from '../operations/sql.ts';
import { bookDisputeMovement } from '../payment-alerts/movements.ts';
import { joinPayment } from '../payments/sql.ts';
import {
  assigned,
  type Cte,
  cte,
  int,
  listOf,
  nullable,
  oneOf,
  only,
  type RowOf,
  rowsOfJson,
  text,
  time,
  without,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { completeAuditEntries, noChangeOutcome } from '../users/audit/audited-requests.ts';
import { type DisputeRow, disputeColumns } from './present.ts';

/** The constraint that is violated if a dispute is on record already. */
export const knownDispute = 'disputes_known';

const openOperation = `select o.kind from operations o
  where o.tenant = d.tenant and o.subject = d.id`;

/** The columns of `DisputeRow`, read from a dispute `d`, its payment `p` and its open operation. */
export const shownColumns = `${listOf(disputeColumns, 'd')}, (${openOperation}) as operation,
  p.method_type, p.brand, p.last4, p.exp_month, p.exp_year, p.amount as payment_amount, p.currency as payment_currency,
  coalesce(d.processor_identity, p.processor_identity) as processor_identity`;

/** SQL that joins the payment of a dispute `d` as `p`. */
export const withPayment = joinPayment('d');

const factColumns = only(
  disputeColumns,
  'amount',
  'currency',
  'state',
  'status',
  'concluded_by',
  'reason',
  'network_reason_code',
  'respond_by',
  'raised_at',
  'arn',
  'action_since',
  'reminders',
);

const openedColumns = {
  ...only(
    disputeColumns,
    'tenant',
    'id',
    'payment_id',
    'customer_id',
    'upstream_id',
    'inquiry_refunds',
    'created_at',
  ),
  processor_identity: nullable(text),
  ...without(factColumns, 'concluded_by', 'reminders'),
} as const;
const addressedMails = cte('mails_in', { account_id: text, ...mailColumns });
/** CTEs that queue the mails of the source CTE's rows in the outboxes of their accounts. */
const sendMails = ({ name }: Cte<'tenant' | keyof typeof mailColumns>) => `${addressedMails.name} as (
    select t.account_id, s.mails from ${name} s join tenants t using (tenant)),
  mails_done as (${insertMails(addressedMails)})`;

const openedInput = { n: int, ...openedColumns, ...eventColumns, ...mailColumns } as const;
const opened = cte('input', openedInput);

const insertSql = `with input as (select * from ${rowsOfJson(openedInput)}),
  ${numbered('disputes_in', 'disputes', opened)},
  ${insertEvents(opened)},
  ${sendMails(opened)},
  opened as (
    insert into disputes (${listOf(openedColumns)}, seq, version, event_count)
    select ${listOf(openedColumns)}, seq, 1, 1 from disputes_in
    returning tenant, payment_id, created_at)
  select ${bookDisputeMovement('payment_id', 'created_at')} from opened`;

const settlementInput = {
  n: int,
  ...only(disputeColumns, 'tenant', 'id', 'payment_id', 'version', 'operations_done'),
  changed_at: time,
  ...factColumns,
  operation_end: nullable(oneOf<OperationEnd>()),
  operation_key: nullable(text),
  submitted_at: nullable(time),
  ...answerColumns,
  ...eventColumns,
  ...mailColumns,
} as const;
const won = cte('won', settlementInput);
const ended = cte('ended', settlementInput);

const settleSql = `with input as (select * from ${rowsOfJson(settlementInput)}),
  -- An answer that comes when its own operation is over, since another process took it over, ends no other one.
  ending as (
    select i.n from input i join operations o on o.tenant = i.tenant
      and o.subject = i.id and o.upstream_key = i.operation_key),
  settled as (
    update disputes d set version = d.version + 1,
      event_count = d.event_count + case when i.event_id is null then 0 else 1 end,
      ${assigned(factColumns, 'i')},
      operations_done = d.operations_done + case when i.operation_end <> 'concluded' and i.n in (select n from ending) then 1 else 0 end
    from input i
    where d.tenant = i.tenant and d.id = i.id and d.version = i.version
    returning i.n),
  won as (select i.* from input i join settled s on s.n = i.n),
  ended as (select * from won where n in (select n from ending)),
  ${endOperations(ended)},
  ${completeAuditEntries(
    ended,
    `case when s.operation_end = 'refused' then ${noChangeOutcome}
    else jsonb_build_object('state', s.state, 'status', s.status) end`,
  )},
  evidence_done as (
    update dispute_evidence e set submitted_at = w.submitted_at
    from ended w
    where e.tenant = w.tenant and e.dispute_id = w.id
      and e.attempt = w.operations_done and w.submitted_at is not null),
  ${sendMails(won)},
  ${insertEvents(won)},
  ${storeAnswers(won)}
  select n, ${bookDisputeMovement('payment_id', 'changed_at')} from won`;

/** `concluded`: Till ended it. The processor gave no answer, so the next upstream key stays the same. */
export type OperationEnd = 'done' | 'submitted' | 'refused' | 'concluded';

/** How the operation with an upstream key ended. */
export interface EndedOperation {
  readonly key: string;
  readonly end: OperationEnd;
}

/** Data of the commit of a dispute's change. */
export interface DisputeSettlement {
  /** The dispute after the change. `version` and `event_count` are still the values that were read. */
  readonly dispute: DisputeRow;
  readonly event: NewEvent | null;
  readonly mails: readonly NewMail[];
  /** Account time. */
  readonly at: Date;
  /** How the dispute's operation ended; null if it does not end or there is none. */
  readonly operation: EndedOperation | null;
  readonly answer: { readonly claim: Claim; readonly body: string } | null;
}

/** Commits changes of disputes, and finds single disputes. */
export class DisputeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Records a new dispute. @throws a database error naming `knownDispute` */
  async insert(
    dispute: DisputeRow,
    written: { readonly event: NewEvent; readonly mails: readonly NewMail[] },
  ): Promise<void> {
    const row: RowOf<typeof openedInput> = {
      ...dispute,
      n: 0,
      ...eventInput(written.event),
      mails: written.mails,
    };
    await this.#db.query({
      name: 'insert_dispute',
      text: insertSql,
      values: [JSON.stringify([row])],
      scope: row,
    });
  }

  /** Changes a dispute. @returns false, with nothing written, if it has changed since it was read */
  async settle(settlement: DisputeSettlement): Promise<boolean> {
    const { dispute, event, mails, at, answer } = settlement;
    const row: RowOf<typeof settlementInput> = {
      ...dispute,
      n: 0,
      changed_at: at,
      operation_end: settlement.operation?.end ?? null,
      operation_key: settlement.operation?.key ?? null,
      submitted_at: settlement.operation?.end === 'submitted' ? at : null,
      ...answerInput(answer && { ...answer, status: 200 }),
      ...eventInput(event),
      mails,
    };
    const rows = await this.#db.query({
      name: 'settle_dispute',
      text: settleSql,
      values: [JSON.stringify([row])],
      scope: row,
    });
    return rows.length === 1;
  }

  async find(tenant: Tenant, id: string): Promise<DisputeRow | undefined> {
    const [row] = await this.#db.query<DisputeRow>({
      name: 'find_dispute',
      text: `select ${shownColumns} from disputes d ${withPayment}
             where d.tenant = $1 and d.id = $2`,
      values: [tenant.tenant, id],
      scope: tenant,
    });
    return row;
  }

  async findByUpstreamId(tenant: Tenant, upstreamId: string): Promise<DisputeRow | undefined> {
    const [row] = await this.#db.query<DisputeRow>({
      name: 'find_dispute_by_upstream_id',
      text: `select ${shownColumns} from disputes d ${withPayment}
             where d.tenant = $1 and d.upstream_id = $2`,
      values: [tenant.tenant, upstreamId],
      scope: tenant,
    });
    return row;
  }
}
