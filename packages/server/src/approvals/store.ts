import type { Approval } from '@till/contract';
import { tenantsWithTime } from '../accounts/sql.ts';
import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { backoff, dueTenants } from '../jobs/due-tenants.ts';
import { insertMails, mailColumns, type NewMail } from '../mail/store.ts';
import {
  assigned,
  cte,
  int,
  jsonRows,
  keyColumns,
  listOf,
  nullable,
  only,
  rowsOfJson,
  text,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { Conditions, foundRows, type ListedRow, matchingPageOf } from '../store/list.ts';
import type { Tenant } from '../store/tenant.ts';
import { type AuditEntryRow, auditEntryColumns, insertAuditEntries } from '../users/audit/audit.ts';
import { hasRole } from '../users/people/reads.ts';
import { type ApprovalRow, approvalColumns } from './row.ts';

const columns = listOf(approvalColumns);

interface WaitingQuery extends Pick<ApprovalRow, 'action'> {
  readonly requester: string;
  readonly paymentId: string | null;
  readonly now: Date;
}

const newInput = {
  n: int,
  ...approvalColumns,
  ...mailColumns,
  ...claimColumns,
  ...eventColumns,
  ...auditEntryColumns,
} as const;
const fresh = cte('fresh', newInput);
const mailsIn = cte('mails_in', { account_id: text, ...mailColumns });

/** The idempotency record stays `open`, so that a repeated request is answered with the approval's current result. */
const insertSql = `with input as (select * from ${rowsOfJson(newInput)}),
  ${claimKeys(cte('input', newInput), { state: `'open'`, status: 'null::int', body: 'null::text' })},
  approvals_in as (insert into approvals (${columns}) select ${columns} from fresh),
  ${mailsIn.name} as (
    select t.account_id, f.mails from fresh f join tenants t on t.tenant = f.tenant where f.mails is not null),
  mailed as (${insertMails(mailsIn)}),
  ${insertAuditEntries(fresh)},
  ${insertEvents(fresh)}
  select n from fresh`;

/** Inserts an approval with its event, mails and audit entry. @returns false if another request holds the idempotency key */
export async function insertApproval(
  db: Queryable,
  row: ApprovalRow,
  more: {
    readonly claim: Claim | null;
    readonly event: NewEvent;
    readonly mails: readonly NewMail[];
    readonly entry: AuditEntryRow | null;
  },
): Promise<boolean> {
  const input = {
    n: 0,
    mails: more.mails,
    entry: more.entry,
    ...claimInput(more.claim),
    ...eventInput(more.event),
  };
  const rows = await db.query({
    name: 'insert_approval',
    text: insertSql,
    values: [jsonRows(newInput, [[row, input]])],
    scope: row,
  });
  return rows.length === 1;
}

const decisionColumns = only(
  approvalColumns,
  'status',
  'decided_by',
  'reason',
  'result_id',
  'run_at',
  'runs',
  'decided_at',
);
const decisionInput = {
  n: int,
  ...keyColumns,
  ...decisionColumns,
  account_id: text,
  user_id: nullable(text),
  role: nullable(text),
  ...eventColumns,
  ...auditEntryColumns,
} as const;
const won = cte('won', decisionInput);

/**
 * Updates only a pending approval, so one of two concurrent decisions writes nothing. Nor does a member who has lost the role.
 */
const decideSql = `with input as (select * from ${rowsOfJson(decisionInput)}),
  decided as (
    update approvals a set ${assigned(decisionColumns, 'i')} from input i
    where a.tenant = i.tenant and a.id = i.id and a.status = 'pending'
      and (i.user_id is null or ${hasRole('i.account_id', 'i.user_id', 'i.role')})
    returning i.n),
  won as (select i.* from input i join decided d on d.n = i.n),
  ${insertAuditEntries(won)},
  ${insertEvents(won)}
  select n from won`;

/** A member who decides, and the role that permits it. */
export interface DecidingMember {
  readonly userId: string;
  readonly role: string;
}

/**
 * Writes a decision with its event and audit entry.
 * @param row the decided approval @param more `member`: null if no member decides
 * @returns false if it is decided already, or the member no longer has the role
 */
export async function decideApproval(
  db: Queryable,
  { accountId }: Pick<Tenant, 'accountId'>,
  row: ApprovalRow,
  more: {
    readonly event: NewEvent;
    readonly entry: AuditEntryRow | null;
    readonly member: DecidingMember | null;
  },
): Promise<boolean> {
  const { event, entry, member } = more;
  const decider = { account_id: accountId, user_id: member?.userId ?? null, role: member?.role ?? null };
  const input = { n: 0, entry, ...decider, ...eventInput(event) };
  const rows = await db.query({
    name: 'decide_approval',
    text: decideSql,
    values: [jsonRows(decisionInput, [[row, input]])],
    scope: row,
  });
  return rows.length === 1;
}

/** @returns undefined also if the approval belongs to another tenant */
export async function findApproval(
  db: Queryable,
  tenant: Pick<Tenant, 'tenant'>,
  id: string,
): Promise<ApprovalRow | undefined> {
  if (!/^apr_[a-z0-9]{24}$/.test(id)) return undefined;
  const [row] = await db.query<ApprovalRow>({
    name: 'find_approval',
    text: `select ${columns} from approvals where tenant = $1 and id = $2`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
  return row;
}

/** How much waits for a decision. */
export interface Waiting {
  /** Number of requests by the same requester. */
  readonly ofRequester: number;
  /** Sum of the requests for the same action and payment, in minor units. */
  readonly ofPayment: number;
}

/** Sums up the requests that wait already. @param now account time */
export async function findWaiting(
  db: Queryable,
  tenant: Tenant,
  { requester, action, paymentId, now }: WaitingQuery,
): Promise<Waiting> {
  const [row] = await db.query<Waiting>({
    name: 'find_waiting_approvals',
    text: `select (count(*) filter (where requested_by = $2))::int as "ofRequester",
             coalesce(sum(amount) filter (where action = $3 and payment_id = $4), 0)::bigint as "ofPayment"
           from approvals where tenant = $1 and status = 'pending' and expires_at > $5`,
    values: [tenant.tenant, requester, action, paymentId, now],
    scope: tenant,
  });
  if (row === undefined) throw new Error('a sum without groups gives one row');
  return row;
}

/** Finds the tenant of an approval by the approval's id alone, for the operator. */
export async function findApprovalOfAnyTenant(db: Queryable, id: string): Promise<Tenant | undefined> {
  const [row] = await db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from approvals p join tenants t using (tenant)
           where p.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** A page of a tenant's approvals, newest first, and their total number. */
export async function listApprovalRows(
  db: Queryable,
  tenant: Tenant,
  status: Approval['status'] | undefined,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ rows: ApprovalRow[]; total: number }> {
  const where = new Conditions(['r.tenant = $1'], [tenant.tenant]);
  where.add((p) => `r.status = ${p}`, status);
  const listed = { table: 'approvals', columns: listOf(approvalColumns, 'r'), order: ['id desc'] };
  const place = { offset: (page - 1) * perPage, perPage };
  return foundRows(await db.query<ListedRow<ApprovalRow>>(matchingPageOf(tenant, listed, where, place)));
}

/** The tenants with approved requests that are due to run. */
export const tenantsWithApprovalsToRun = (db: Queryable) =>
  dueTenants(db, {
    name: 'tenants_with_approvals_to_run',
    table: 'approvals',
    where: 'd.run_at is not null',
    dueAt: 'd.run_at',
  });

/** The tenants with requests that nobody decided in time. */
export const tenantsWithOverdueApprovals = (db: Queryable) =>
  dueTenants(db, {
    name: 'tenants_with_overdue_approvals',
    table: 'approvals',
    where: `d.status = 'pending'`,
    dueAt: 'd.expires_at',
    accountTime: true,
  });

/**
 * Takes approved requests to run. No other process takes them for a minute plus a backoff that grows with each try.
 * @param now real time
 */
export function takeApprovalsToRun(
  db: Queryable,
  tenant: Pick<Tenant, 'tenant'>,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<ApprovalRow[]> {
  return db.query<ApprovalRow>({
    name: 'take_approvals_to_run',
    text: `update approvals a set runs = a.runs + 1, run_at = $2::timestamptz + interval '1 minute' + ${backoff('a.runs')}
           where a.tenant = $1 and a.id in (
             select d.id from approvals d where d.tenant = $1 and d.run_at <= $2 order by d.run_at limit $3 for update skip locked)
           returning ${listOf(approvalColumns, 'a')}`,
    values: [tenant.tenant, now, max],
    scope: tenant,
  });
}

/** Requests of a tenant that nobody decided in time. @param now real time */
export function overdueApprovals(
  db: Queryable,
  tenant: Pick<Tenant, 'tenant'>,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<ApprovalRow[]> {
  return db.query<ApprovalRow>({
    name: 'overdue_approvals',
    text: `select ${listOf(approvalColumns, 'd')} from ${tenantsWithTime('$2')} join approvals d on d.tenant = o.tenant
           where o.tenant = $1 and d.status = 'pending' and d.expires_at <= t.account_now order by d.expires_at limit $3`,
    values: [tenant.tenant, now, max],
    scope: tenant,
  });
}

/** Ends the tries of an approved request. @param failure why it cannot be done; null if it was done */
export async function endRun(
  db: Queryable,
  { tenant, id }: Pick<ApprovalRow, 'tenant' | 'id'>,
  failure: { readonly code: string; readonly message: string } | null,
): Promise<void> {
  await db.query({
    name: 'end_run_of_approval',
    text: `update approvals set run_at = null, failure_code = $3, failure_message = $4 where tenant = $1 and id = $2`,
    values: [tenant, id, failure?.code ?? null, failure?.message ?? null],
    scope: { tenant },
  });
}
