import type { Connection, Queryable } from '../../store/database.ts';
import { hasSecondFactor } from './reads.ts';

/*
 * What a cell has of the people, whose own rows are at home: who they are, so that names and addresses can be shown and
 * mails written without home. Nobody signs in with a copy, and access is always asked of home.
 */

const fields = `m.account_id, m.user_id, m.role, m.created_at, u.email, u.email_folded`;

const fingerprint = (secondFactor: string) =>
  `md5(coalesce(string_agg(concat_ws(' ', m.account_id, m.user_id, m.role, u.email, ${secondFactor}), ','
     order by m.account_id collate "C", m.user_id collate "C"), '')) as print`;

const atHome = `account_cells c join memberships m using (account_id) join users u on u.id = m.user_id where c.cell = $1`;

/** A copy of the people of some accounts, and what differs from another one where anything does. */
interface People {
  readonly print: string;
}

const copied = `select ${fingerprint('u.has_totp_at_home')} from memberships m join users u on u.id = m.user_id`;

/** What the copies in a cell have to be. */
export async function fingerprintOfPeople(home: Queryable, cell: string): Promise<string> {
  const [row] = await home.query<People>({
    name: 'fingerprint_of_people',
    text: `select ${fingerprint(hasSecondFactor('u.id'))} from ${atHome}`,
    values: [cell],
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** What the copies in this cell are. */
export async function fingerprintOfCopies(cell: Queryable): Promise<string> {
  const [row] = await cell.query<People>({
    name: 'fingerprint_of_copies',
    text: copied,
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** What home knows of the people of a cell. */
export interface PeopleAtHome {
  /** Those of its accounts, as text. */
  readonly people: string;
  /** Accounts that are being committed to it: their people may be there before the directory says so. */
  readonly arriving: readonly string[];
}

/** The people of the accounts in a cell, for `replaceCopies`. */
export async function readPeople(home: Queryable, cell: string): Promise<PeopleAtHome> {
  const [row] = await home.query<PeopleAtHome>({
    text: `select (select coalesce(json_agg(p), '[]')::text
               from (select ${fields}, ${hasSecondFactor('u.id')} as has_totp from ${atHome}) p) as people,
             array(select account_id from account_moves where target = $1 and state = 'committing') as arriving`,
    values: [cell],
    scope: 'nobody',
  });
  return row ?? { people: '[]', arriving: [] };
}

/** What was read at home as a table, `p`. */
const readCopies = `with p as materialized (
  select * from json_to_recordset($1::json) as p (account_id text, user_id text, role text,
    created_at timestamptz, email text, email_folded text, has_totp boolean))`;

const insertCopies = `, known as (
    insert into users as u (id, email, email_folded, password_hash, created_at, has_totp_at_home)
    select distinct on (user_id) user_id, email, email_folded, '', created_at, has_totp from p
    on conflict (id) do update set email = excluded.email, email_folded = excluded.email_folded,
      has_totp_at_home = excluded.has_totp_at_home)
  insert into memberships as m (account_id, user_id, role, created_at)
  select account_id, user_id, role, created_at from p
  on conflict (account_id, user_id) do update set role = excluded.role where m.role <> excluded.role`;

/**
 * Makes the copies in this cell those that were read at home. What has come meanwhile, with an account or from another
 * process, may be newer than that: then nothing is removed, and the next look compares again.
 * @param before the fingerprint of the copies, read before home was
 */
export async function replaceCopies(
  cell: Queryable,
  before: string,
  { people, arriving }: PeopleAtHome,
): Promise<void> {
  await cell.query({
    text: `${readCopies},
           gone as (
             delete from memberships m
             where not exists (select from p where p.account_id = m.account_id and p.user_id = m.user_id)
               and m.account_id <> all ($3) and (select print from (${copied}) c) = $2)
           ${insertCopies}`,
    values: [people, before, arriving],
    scope: 'nobody',
  });
  // Of accounts that have left nothing stays, their people's addresses neither.
  await cell.query({
    text: 'delete from users u where not exists (select from memberships m where m.user_id = u.id)',
    scope: 'nobody',
  });
}

/** The people of one account, as text for `addCopies`. */
export async function readPeopleOfAccount(home: Queryable, accountId: string): Promise<string> {
  const [row] = await home.query<{ people: string }>({
    text: `select coalesce(json_agg(p), '[]')::text as people
           from (select ${fields}, ${hasSecondFactor('u.id')} as has_totp
                 from memberships m join users u on u.id = m.user_id where m.account_id = $1) p`,
    values: [accountId],
    scope: 'nobody',
  });
  return row?.people ?? '[]';
}

/** Adds copies of people to those that a cell has. */
export async function addCopies(cell: Pick<Connection, 'query'>, people: string): Promise<void> {
  await cell.query({ text: `${readCopies} ${insertCopies}`, values: [people] });
}
