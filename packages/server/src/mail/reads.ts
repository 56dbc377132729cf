import type { Mail, MailsQuery } from '@till/contract/dashboard';
import { capped, mostCounted, rowsWithin } from '../store/capped.ts';
import type { Queryable } from '../store/database.ts';

/** A mail without its text. Times are real time. */
export interface MailLine extends Pick<Mail, 'id' | 'to' | 'subject' | 'state' | 'tries' | 'error'> {
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly next_try_at: Date | null;
}

const columns = `id, to_address as "to", subject, state, tries, error, created_at, sent_at,
  case when state = 'queued' then next_try_at end as next_try_at`;

/** A page of the outbox, newest first: ids sort by time. */
export async function mailPage(
  db: Queryable,
  accountId: string,
  { state }: MailsQuery,
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
): Promise<{ readonly rows: MailLine[]; readonly total: number; readonly capped: boolean }> {
  const matching = 'from mails where account_id = $1 and ($2::text is null or state = $2)';
  const rows = await db.query<Partial<MailLine> & { total: number }>({
    text: `select t.total, m.* from (select count(*) as total from (select 1 ${matching} limit $3) c) t
           left join lateral (select ${columns} ${matching} order by id desc offset $4 limit $5) m on true
           order by m.id desc`,
    values: [accountId, state ?? null, mostCounted + 1, offset, rowsWithin(offset, perPage)],
    scope: { accountId },
  });
  return {
    rows: rows.flatMap(({ total: _total, ...row }) => (row.id == null ? [] : [row as MailLine])),
    ...capped(rows[0]?.total ?? 0),
  };
}

/** One mail of an account with its text. */
export async function findMailText(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<(MailLine & { readonly text: string }) | undefined> {
  const [row] = await db.query<MailLine & { text: string }>({
    name: 'find_mail_text',
    text: `select ${columns}, text from mails where account_id = $1 and id = $2`,
    values: [accountId, id],
    scope: { accountId },
  });
  return row;
}
