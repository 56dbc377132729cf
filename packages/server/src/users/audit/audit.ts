import { joinCurrentTenant } from '../../accounts/sql.ts';
import type { Clock } from '../../lib/clock.ts';
import { idsFrom, newId, type RandomBytes } from '../../lib/ids.ts';
import {
  bool,
  type Cte,
  json,
  listOf,
  nullable,
  oneOf,
  parametersOf,
  type RowOf,
  tenantColumns,
  text,
  time,
  typesOf,
  valuesOf,
  without,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import {
  Conditions,
  capped,
  foundRows,
  type ListedRow,
  type ListedRows,
  matchingPageOf,
} from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';

export interface AuditDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Who did something: a person in the dashboard, or the operator at the command line. */
export type Actor =
  | { readonly type: 'user'; readonly userId: string; readonly email: string }
  | { readonly type: 'operator' };

/** What was done to which object, in which mode of the account. Must not contain secrets. */
export interface AuditInput extends Tenant {
  readonly actor: Actor;
  /** For example `payment.refunded`. */
  readonly action: string;
  readonly objectId: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly ip: string | null;
}

/** Id and time of the next entry. */
export function nextEntry({ clock, randomBytes }: Omit<AuditDependencies, 'db'>): { id: string; at: Date } {
  const at = clock.now();
  return { id: newId('aud', at, randomBytes), at };
}

/** The columns of an action that a person takes on their own user. They have the same values in each account's log. */
const personalColumns = {
  id: text,
  user_id: nullable(text),
  /** The address that the person had then. */
  email: nullable(text),
  action: text,
  object_id: nullable(text),
  before: nullable(json<object>()),
  after: nullable(json<object>()),
  ip: nullable(text),
  created_at: time,
} as const;
export const entryColumns = {
  account_id: text,
  ...tenantColumns,
  actor_type: oneOf<Actor['type']>(),
  ...personalColumns,
} as const;
const listedColumns = {
  ...without(entryColumns, 'account_id', 'tenant'),
  before: nullable(json<Record<string, unknown>>()),
  after: nullable(json<Record<string, unknown>>()),
  livemode: bool,
} as const;

/** An entry as it is written. */
export type AuditEntryRow = RowOf<typeof entryColumns>;

/** An entry as it is listed. */
export type AuditRow = RowOf<typeof listedColumns>;

/** Builds an entry with the current time, to be written together with the change. */
export function auditEntry(
  deps: Omit<AuditDependencies, 'db'>,
  { accountId, tenant, actor, action, objectId, before, after, ip }: AuditInput,
): AuditEntryRow {
  const { id, at } = nextEntry(deps);
  return {
    account_id: accountId,
    tenant,
    actor_type: actor.type,
    id,
    user_id: actor.type === 'user' ? actor.userId : null,
    email: actor.type === 'user' ? actor.email : null,
    action,
    object_id: objectId,
    before,
    after,
    ip,
    created_at: at,
  };
}

/** Writes an entry. If `db` is the transaction of the change, both are committed together. */
export async function writeAudit(deps: AuditDependencies, input: AuditInput): Promise<void> {
  await deps.db.query({
    name: 'write_audit',
    text: `insert into audit_log (${listOf(entryColumns)}) values (${parametersOf(entryColumns)})`,
    values: valuesOf(entryColumns, auditEntry(deps, input)),
    scope: { accountId: input.accountId },
  });
}

/** The column of a statement's input that holds an entry; null if there is none. */
export const auditEntryColumns = { entry: nullable(json<AuditEntryRow>()) } as const;

/**
 * CTE that writes the entries of a CTE's rows. Used for changes with an event: until they are committed, no other event of
 * the account can be, so the entry must not cost another round trip.
 */
export const insertAuditEntries = ({
  name: source,
}: Cte<keyof typeof auditEntryColumns>): string => `entries_in as (
  insert into audit_log (${listOf(entryColumns)}) select ${listOf(entryColumns, 'e')}
  from ${source} s cross join json_to_record(s.entry) as e (${typesOf(entryColumns)}) where s.entry is not null)`;

/** An entry about an action of a person, or of somebody in that person's name. */
type PersonalEntry = Pick<AuditInput, 'action' | 'ip'> &
  Partial<Pick<AuditInput, 'objectId' | 'before' | 'after'>>;

/**
 * SQL that writes an entry about a person into the log of each account that they are a member of, in its current mode. `$1`
 * is `personalEntry`. Ids are unique per account only: the same action has the same id in each log.
 */
export const insertPersonalEntries = `insert into audit_log (${listOf(entryColumns)})
  select ${listOf(entryColumns, 'e', { account_id: 'm.account_id', tenant: 't.tenant', actor_type: `'user'` })}
  from json_to_record($1::json) as e (${typesOf(personalColumns)}) join memberships m on m.user_id = e.user_id
  ${joinCurrentTenant('m')}`;

/** @param user undefined if no user has this address; then no entry is written */
export function personalEntry(
  deps: Omit<AuditDependencies, 'db'>,
  user: { readonly id: string; readonly email: string } | undefined,
  { action, objectId = user?.id ?? null, before = null, after = null, ip }: PersonalEntry,
): string {
  const { id, at } = nextEntry(deps);
  const row: RowOf<typeof personalColumns> = {
    id,
    user_id: user?.id ?? null,
    email: user?.email ?? null,
    action,
    object_id: objectId,
    before,
    after,
    ip,
    created_at: at,
  };
  return JSON.stringify(row);
}

/** Writes an action that a person takes on their own user into the log of each account that they are a member of. */
export async function writePersonalAudit(
  deps: AuditDependencies,
  user: { readonly id: string; readonly email: string },
  entry: PersonalEntry,
): Promise<void> {
  await deps.db.query({
    name: 'write_personal_audit',
    scope: 'everybody',
    text: insertPersonalEntries,
    values: [personalEntry(deps, user, entry)],
  });
}

const listed: ListedRows = {
  table: 'audit_log',
  alias: 'a',
  columns: listOf(listedColumns, 'a', { livemode: 't.livemode' }),
  order: ['id desc'],
  join: 'join tenants t on t.tenant = a.tenant',
};

export interface AuditFilter {
  /** E-mail address or id of a user. */
  readonly actor?: string | undefined;
  /** A full action name, or its beginning up to a dot. */
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** A page of an account's log in both modes, newest first, with the total counted up to a limit. @param page from 1 */
export async function listAudit(
  db: Queryable,
  accountId: string,
  filter: AuditFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ rows: AuditRow[]; total: number; capped: boolean }> {
  const where = new Conditions(['a.account_id = $1'], [accountId]);
  where.add((p) => `(a.user_id = ${p} or lower(a.email) = lower(${p}))`, filter.actor);
  where.add(
    (p) => `(a.action = ${p} or starts_with(a.action, ${p} || '.'))`,
    filter.action?.replace(/\.$/, ''),
  );
  where.add((p) => `a.object_id = ${p}`, filter.object);
  where.add((p) => `a.id >= ${p}`, filter.from && idsFrom('aud', filter.from));
  where.add((p) => `a.id < ${p}`, filter.to && idsFrom('aud', filter.to));
  const place = { offset: (page - 1) * perPage, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<AuditRow>>(matchingPageOf({ accountId }, listed, where, place)),
  );
  return { rows, ...capped(total) };
}
