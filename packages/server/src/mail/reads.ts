import type { Mail, MailsQuery } from '@till/contract/dashboard';
import { int, listOf, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import {
  Conditions,
  capped,
  foundRows,
  type ListedRow,
  type ListedRows,
  matchingPageOf,
} from '../store/list.ts';

const lineColumns = {
  id: text,
  to: text,
  subject: text,
  state: oneOf<Mail['state']>(),
  tries: int,
  error: nullable(text),
  created_at: time,
  sent_at: nullable(time),
  next_try_at: nullable(time),
} as const;

/** A mail without its text. All times are real time. */
export type MailLine = RowOf<typeof lineColumns>;

const columns = listOf(lineColumns, 'm', {
  to: 'm.to_address',
  next_try_at: `case when m.state = 'queued' then m.next_try_at end`,
});
const listed: ListedRows = { table: 'mails', alias: 'm', columns, order: ['id desc'] };

/** A page of the outbox, newest first. Mail ids sort by time. */
export async function mailPage(
  db: Queryable,
  accountId: string,
  { state }: MailsQuery,
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
): Promise<{ readonly rows: MailLine[]; readonly total: number; readonly capped: boolean }> {
  const where = new Conditions(['m.account_id = $1'], [accountId]);
  where.add((p) => `m.state = ${p}`, state);
  const place = { offset, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<MailLine>>(matchingPageOf({ accountId }, listed, where, place)),
  );
  return { rows, ...capped(total) };
}

/** Finds one mail of an account with its text. */
export async function findMailText(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<(MailLine & { readonly text: string }) | undefined> {
  const [row] = await db.query<MailLine & { text: string }>({
    name: 'find_mail_text',
    text: `select ${columns}, m.text from mails m where m.account_id = $1 and m.id = $2`,
    values: [accountId, id],
    scope: { accountId },
  });
  return row;
}
