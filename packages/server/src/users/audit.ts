import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import type { Queryable } from '../store/database.ts';

export interface AuditParts {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Who did something: a person in the dashboard, or the operator at the command line. */
export type Actor =
  | { readonly type: 'user'; readonly userId: string; readonly email: string }
  | { readonly type: 'operator' };

/** What was done to what. Never with secrets. */
export interface AuditInput {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly actor: Actor;
  /** E.g. `payment.refunded`. */
  readonly action: string;
  readonly objectId: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly ip: string | null;
}

/** Writes an entry, in the transaction of the change where `db` is one. */
export async function writeAudit(
  { db, clock, randomBytes }: AuditParts,
  { accountId, livemode, actor, action, objectId, before, after, ip }: AuditInput,
): Promise<void> {
  const now = clock.now();
  const user = actor.type === 'user' ? actor : { userId: null, email: null };
  await db.query({
    name: 'write_audit',
    text: `insert into audit_log (account_id, id, livemode, actor_type, user_id, email, action, object_id, before,
             after, ip, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [
      accountId,
      newId('aud', now, randomBytes),
      livemode,
      actor.type,
      user.userId,
      user.email,
      action,
      objectId,
      before === null ? null : JSON.stringify(before),
      after === null ? null : JSON.stringify(after),
      ip,
      now,
    ],
  });
}

/** What a person did about themselves, written into the log of each account that they are a member of. */
export async function writePersonalAudit(
  parts: AuditParts,
  user: { readonly id: string; readonly email: string },
  entry: Pick<AuditInput, 'action' | 'ip'> & Partial<Pick<AuditInput, 'objectId' | 'before' | 'after'>>,
): Promise<void> {
  const accounts = await parts.db.query<{ account_id: string; livemode: boolean }>({
    text: `select a.account_id, a.environment = 'live' as livemode from memberships m join accounts a using (account_id)
           where m.user_id = $1 order by a.account_id`,
    values: [user.id],
  });
  for (const { account_id: accountId, livemode } of accounts) {
    await writeAudit(parts, {
      objectId: user.id,
      before: null,
      after: null,
      ...entry,
      accountId,
      livemode,
      actor: { type: 'user', userId: user.id, email: user.email },
    });
  }
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

const matching = `from audit_log where account_id = $1
  and ($2::text is null or user_id = $2 or lower(email) = lower($2))
  and ($3::text is null or action = $3 or starts_with(action, $3 || '.'))
  and ($4::text is null or object_id = $4)
  and ($5::timestamptz is null or created_at >= $5)
  and ($6::timestamptz is null or created_at < $6)`;

/** A page of an account's log, newest first, of both modes. @param page from 1 */
export async function listAudit(
  db: Queryable,
  accountId: string,
  filter: AuditFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const values = [
    accountId,
    filter.actor ?? null,
    filter.action?.replace(/\.$/, '') ?? null,
    filter.object ?? null,
    filter.from ?? null,
    filter.to ?? null,
  ];
  const [count] = await db.query<{ total: number }>({ text: `select count(*) as total ${matching}`, values });
  const rows = await db.query<AuditRow>({
    text: `select id, livemode, actor_type, user_id, email, action, object_id, before, after, ip, created_at ${matching}
           order by id desc limit $7 offset $8`,
    values: [...values, perPage, (page - 1) * perPage],
  });
  return { rows, total: count?.total ?? 0 };
}
