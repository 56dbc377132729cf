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
 * What somebody in the dashboard asks of a processor, for the audit log. It is committed with the operation that is
 * begun, so that no money moves without it, and completed by the statement that commits the answer.
 */
export interface AuditedRequest {
  /** Of the audit entry. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  /** E.g. `payment.captured`. */
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

/** Column that the input of a statement has for an audited request. */
export const auditColumns = { audited: nullable(json<RowOf<typeof entryColumns>>()) } as const;

/**
 * The value of `auditColumns`; null where it is not a request of the staff.
 * @param objectId what the entry is about @param facts what it says from the beginning
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

/** CTE that writes the entries of a CTE's rows, by whose `id` `completeAuditEntries` finds them. A request that begins once more goes on with its entry. */
export const insertAuditEntries = ({
  name: source,
}: Cte<KeyColumn | keyof typeof auditColumns>): string => `audit_entries_begun as (
    insert into audit_log (account_id, tenant, actor_type, awaits, ${listOf(entryColumns)})
    select t.account_id, s.tenant, 'user', s.id, ${listOf(entryColumns, 'a')}
    from ${source} s join tenants t using (tenant) cross join json_to_record(s.audited) as a (${typesOf(entryColumns)})
    where s.audited is not null
    on conflict (account_id, id) do update set after = excluded.after, awaits = excluded.awaits)`;

/**
 * CTE that says in the entries that wait for a CTE's rows what came of them.
 * @param outcome SQL for that, as jsonb, on a row `s`
 */
export const completeAuditEntries = (
  { name: source }: Cte<KeyColumn>,
  outcome: string,
): string => `audit_entries_done as (
    update audit_log a set after = (a.after::jsonb - 'outcome' || ${outcome})::json, awaits = null from ${source} s
    where a.tenant = s.tenant and a.awaits = s.id)`;

/** The same, where the outcome is the status that the rows have. */
export const completeAuditEntriesWithStatus = (source: Cte<KeyColumn | 'status'>): string =>
  completeAuditEntries(source, `jsonb_build_object('status', s.status)`);

/** For `completeAuditEntries`: the processor was not asked, or refused, and all is as before. */
export const nothingChanged = `'{"outcome": "nothing_changed"}'::jsonb`;
