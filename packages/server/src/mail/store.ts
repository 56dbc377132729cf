import type { Mail } from '@till/contract/dashboard';
import { type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import {
  type Cte,
  cte,
  int,
  json,
  listOf,
  nullable,
  oneOf,
  type RowOf,
  text,
  time,
  typesOf,
  without,
} from '../store/columns.ts';
import type { Database, Queryable } from '../store/database.ts';

export const newMailColumns = {
  id: text,
  to_address: text,
  subject: text,
  text,
  html: nullable(text),
  state: oneOf<'queued' | 'kept'>(),
  /** Real time. */
  created_at: time,
} as const;

/** A new mail for the outbox, with one recipient. */
export type NewMail = RowOf<typeof newMailColumns>;

const dueColumns = {
  account_id: text,
  ...without(newMailColumns, 'state'),
  /** The number of attempts, including the current one. */
  tries: int,
} as const;

/** A mail that this process has claimed for sending. */
export type DueMail = RowOf<typeof dueColumns>;

/** The input column of a statement that has the mails to be committed with a change. */
export const mailColumns = { mails: nullable(json<readonly NewMail[]>()) } as const;

/** SQL that inserts the mails of a CTE's rows into the outbox. */
export const insertMails = (source: Cte<'account_id' | 'mails'>): string =>
  `insert into mails (account_id, next_try_at, ${listOf(newMailColumns)})
   select s.account_id, m.created_at, ${listOf(newMailColumns, 'm')}
   from ${source.name} s cross join lateral json_to_recordset(s.mails) as m (${typesOf(newMailColumns)})
   where s.mails is not null`;

/** Inserts mails that are not part of another commit. */
export async function insertMailRows(
  db: Queryable,
  accountId: string,
  mails: readonly NewMail[],
): Promise<void> {
  await db.query({
    name: 'insert_mails',
    text: `with input as (select $1::text as account_id, $2::json as mails) ${insertMails(cte('input', { account_id: text, ...mailColumns }))}`,
    values: [accountId, JSON.stringify(mails)],
    scope: { accountId },
  });
}

/** The addresses of an account's owners and admins. */
export async function staffAddresses(
  db: Queryable,
  accountId: string,
  also: string | null,
): Promise<string[]> {
  const rows = await db.query<{ email: string }>({
    name: 'staff_addresses',
    text: `select u.email from memberships m join users u on u.id = m.user_id
           where m.account_id = $1 and (m.role in ('owner', 'admin') or u.id = $2) order by u.id`,
    values: [accountId, also],
    scope: { accountId },
  });
  return rows.map((row) => row.email);
}

const queuedMails: DueRows = {
  name: 'accounts_with_due_mails',
  table: 'mails',
  where: `d.state = 'queued'`,
  dueAt: 'd.next_try_at',
  bothModes: true,
};

/** Finds the accounts with due mails. */
export const accountsWithDueMails = (db: Database) => dueTenants(db, queuedMails);

/**
 * Claims an account's due mails by setting their next attempt to a later time, so that no other process takes them. The attempt
 * is counted before it is made.
 * @param options `now` is real time; `until` is when another process may take a mail whose sender died
 */
export async function takeDueMails(
  db: Database,
  accountId: string,
  options: { readonly now: Date; readonly until: Date; readonly max: number },
): Promise<DueMail[]> {
  return db.query<DueMail>({
    name: 'take_due_mails',
    text: `with due as materialized (
             select id as due_id from mails where account_id = $1 and state = 'queued' and next_try_at <= $2
             order by next_try_at limit $4 for update skip locked)
           update mails m set tries = m.tries + 1, next_try_at = $3
           from due where m.account_id = $1 and m.id = due.due_id
           returning ${listOf(dueColumns, 'm')}`,
    values: [accountId, options.now, options.until, options.max],
    scope: { accountId },
  });
}

type End =
  | { readonly state: 'sent'; readonly sentAt: Date }
  | { readonly state: 'queued'; readonly nextTryAt: Date; readonly error: string }
  | { readonly state: 'failed'; readonly error: string };

/** Stores the outcome of an attempt. */
export async function finishMail(db: Queryable, mail: DueMail, end: End): Promise<void> {
  await db.query({
    name: 'finish_mail',
    text: `update mails set state = $3, sent_at = $4, next_try_at = coalesce($5, next_try_at), error = $6
           where account_id = $1 and id = $2 and state = 'queued' and tries = $7`,
    values: [
      mail.account_id,
      mail.id,
      end.state,
      end.state === 'sent' ? end.sentAt : null,
      end.state === 'queued' ? end.nextTryAt : null,
      end.state === 'sent' ? null : end.error,
      mail.tries,
    ],
    scope: { accountId: mail.account_id },
  });
}

const shownColumns = {
  id: text,
  to: text,
  subject: text,
  text,
  state: oneOf<Mail['state']>(),
  tries: int,
  error: nullable(text),
  created_at: time,
  sent_at: nullable(time),
} as const;

/** A mail as an operator sees it. All times are real time. */
export type MailRow = RowOf<typeof shownColumns>;

const shown = listOf(shownColumns, 'm', { to: 'm.to_address' });

/** Lists the newest mails of an account, newest first. */
export async function listMails(db: Queryable, accountId: string, max: number): Promise<MailRow[]> {
  return db.query<MailRow>({
    text: `select ${shown} from mails m where m.account_id = $1 order by m.id desc limit $2`,
    values: [accountId, max],
    scope: { accountId },
  });
}

/** Finds a mail by its id alone, for the operator's command line. */
export async function findMail(db: Queryable, id: string): Promise<MailRow | undefined> {
  const [row] = await db.query<MailRow>({
    text: `select ${shown} from tenants t join mails m on m.account_id = t.account_id and m.id = $1
           where not t.livemode`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}
