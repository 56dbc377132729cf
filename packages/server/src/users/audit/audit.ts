import type { Clock } from '../../lib/clock.ts';
import { idsFrom, newId, type RandomBytes } from '../../lib/ids.ts';
import { capped, mostCounted, rowsWithin } from '../../store/capped.ts';
import type { Queryable } from '../../store/database.ts';
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

/** What was done to what, in which mode of the account. Never with secrets. */
export interface AuditInput extends Tenant {
  readonly actor: Actor;
  /** E.g. `payment.refunded`. */
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

const asJson = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Writes an entry, in the transaction of the change where `db` is one. */
export async function writeAudit(
  deps: AuditDependencies,
  { accountId, tenant, actor, action, objectId, before, after, ip }: AuditInput,
): Promise<void> {
  const { id, at } = nextEntry(deps);
  const user = actor.type === 'user' ? actor : { userId: null, email: null };
  await deps.db.query({
    name: 'write_audit',
    text: `insert into audit_log (account_id, id, tenant, actor_type, user_id, email, action, object_id, before,
             after, ip, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [
      accountId,
      id,
      tenant,
      actor.type,
      user.userId,
      user.email,
      action,
      objectId,
      asJson(before),
      asJson(after),
      ip,
      at,
    ],
    scope: { accountId },
  });
}

/** What a person did about themselves, written into the log of each account that they are a member of. */
export async function writePersonalAudit(
  deps: AuditDependencies,
  user: { readonly id: string; readonly email: string },
  entry: Pick<AuditInput, 'action' | 'ip'> & Partial<Pick<AuditInput, 'objectId' | 'before' | 'after'>>,
): Promise<void> {
  const { id, at } = nextEntry(deps);
  const { action, objectId = user.id, before = null, after = null, ip } = entry;
  // An id is of one account's log: the same action has the same one in each.
  await deps.db.query({
    name: 'write_personal_audit',
    scope: 'everybody',
    text: `insert into audit_log (account_id, id, tenant, actor_type, user_id, email, action, object_id, before,
             after, ip, created_at)
           select m.account_id, $2, t.tenant, 'user', m.user_id, $3, $4, $5, $6, $7, $8, $9
           from memberships m join accounts a using (account_id)
           join tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')
           where m.user_id = $1`,
    values: [user.id, id, user.email, action, objectId, asJson(before), asJson(after), ip, at],
  });
}

export interface AuditRow {
  readonly id: string;
  readonly livemode: boolean;
  readonly actor_type: 'user' | 'operator';
  readonly user_id: string | null;
  readonly email: string | null;
  readonly action: string;
  readonly object_id: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly ip: string | null;
  readonly created_at: Date;
}

export interface AuditFilter {
  /** E-mail address or id of a user. */
  readonly actor?: string | undefined;
  /** A whole name, or its beginning up to a dot. */
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

const filtered = `($2::text is null or user_id = $2 or lower(email) = lower($2))
  and ($3::text is null or action = $3 or starts_with(action, $3 || '.'))
  and ($4::text is null or object_id = $4)
  and id >= coalesce($5, '') and ($6::text is null or id < $6)`;

/** A page of an account's log, newest first, of both modes, counted as other filtered lists are. @param page from 1 */
export async function listAudit(
  db: Queryable,
  accountId: string,
  filter: AuditFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ rows: AuditRow[]; total: number; capped: boolean }> {
  const values = [
    accountId,
    filter.actor ?? null,
    filter.action?.replace(/\.$/, '') ?? null,
    filter.object ?? null,
    filter.from === undefined ? null : idsFrom('aud', filter.from),
    filter.to === undefined ? null : idsFrom('aud', filter.to),
  ];
  const offset = (page - 1) * perPage;
  const [count] = await db.query<{ total: number }>({
    text: `select count(*) as total from (select 1 from audit_log
             where account_id = $1 and ${filtered} limit $7) m`,
    values: [...values, mostCounted + 1],
    scope: { accountId },
  });
  const rows = await db.query<AuditRow>({
    text: `select id, livemode, actor_type, user_id, email, action, object_id, before, after, ip, created_at
           from audit_log a join tenants t using (tenant)
           where a.account_id = $1 and ${filtered}
           order by id desc limit $7 offset $8`,
    values: [...values, rowsWithin(offset, perPage), offset],
    scope: { accountId },
  });
  return { rows, ...capped(count?.total ?? 0) };
}
