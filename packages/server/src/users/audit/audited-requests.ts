import {
  type Cte,
  json,
  type KeyColumn,
  listOf,
  nullable,
  type RowOf,
  text,
  time,
  typesOf,
} from '../../store/columns.ts';

/**
 * The audit entry of a request that a member makes to a processor. It is committed together with the operation's intent, so
 * that no money moves without it. The statement that commits the answer completes it.
 */
export interface AuditedRequest {
  /** Id of the audit entry. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  /** For example `payment.captured`. */
  readonly action: string;
  readonly ip: string | null;
  /** Real time. */
  readonly at: Date;
}

const entryColumns = {
  id: text,
  user_id: text,
  email: text,
  action: text,
  object_id: text,
  after: json<object>(),
  ip: nullable(text),
  /** Real time. */
  created_at: time,
} as const;

/** The column of a statement's input that holds an audited request. */
export const auditColumns = { audited: nullable(json<RowOf<typeof entryColumns>>()) } as const;

/**
 * The value of `auditColumns`; null if the request does not come from a member.
 * @param objectId the object that the entry is about
 * @param facts the details that are known from the start
 */
export const auditInput = (
  audited: AuditedRequest | null,
  objectId: string,
  facts: object,
): RowOf<typeof auditColumns> => ({
  audited: audited && {
    id: audited.id,
    user_id: audited.userId,
    email: audited.email,
    action: audited.action,
    object_id: objectId,
    after: { ...facts, outcome: 'unknown' },
    ip: audited.ip,
    created_at: audited.at,
  },
});

/**
 * CTE that writes the entries of a CTE's rows. `completeAuditEntries` finds them by the rows' `id`. A request that is begun
 * again reuses its entry.
 */
export const insertAuditEntries = ({
  name: source,
}: Cte<KeyColumn | keyof typeof auditColumns>): string => `audit_entries_begun as (
    insert into audit_log (account_id, tenant, actor_type, awaits, ${listOf(entryColumns)})
    select t.account_id, s.tenant, 'user', s.id, ${listOf(entryColumns, 'a')}
    from ${source} s join tenants t using (tenant) cross join json_to_record(s.audited) as a (${typesOf(entryColumns)})
    where s.audited is not null
    on conflict (account_id, id) do update set after = excluded.after, awaits = excluded.awaits)`;

/**
 * CTE that records the outcome in the entries that wait for a CTE's rows.
 * @param outcome SQL of the outcome as jsonb, in terms of a row `s`
 */
export const completeAuditEntries = (
  { name: source }: Cte<KeyColumn>,
  outcome: string,
): string => `audit_entries_done as (
    update audit_log a set after = (a.after::jsonb - 'outcome' || ${outcome})::json, awaits = null from ${source} s
    where a.tenant = s.tenant and a.awaits = s.id)`;

/** The same, for rows whose `status` is the outcome. */
export const completeAuditEntriesWithStatus = (source: Cte<KeyColumn | 'status'>): string =>
  completeAuditEntries(source, `jsonb_build_object('status', s.status)`);

/** The outcome for `completeAuditEntries` if the processor was not called or refused, so that everything is as before. */
export const noChangeOutcome = `'{"outcome": "nothing_changed"}'::jsonb`;
