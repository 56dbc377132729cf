import type { Connection, Queryable } from '../../store/database.ts';
import { hasSecondFactor } from './reads.ts';

/*
 * A cell's copy of people, whose original rows are in the home database. With it a cell can show names and addresses and
 * write mails without home. Nobody signs in with a copy, and access is always checked at home.
 */

const fields = `m.account_id, m.user_id, m.role, m.created_at, u.email, u.email_folded`;

const fingerprint = (secondFactor: string) =>
  `md5(coalesce(string_agg(concat_ws(' ', m.account_id, m.user_id, m.role, u.email, ${secondFactor}), ','
     order by m.account_id collate "C", m.user_id collate "C"), '')) as print`;

const atHome = `account_cells c join memberships m using (account_id) join users u on u.id = m.user_id where c.cell = $1`;

/** The fingerprint of the people of some accounts. Two fingerprints differ if anything in the copies does. */
interface People {
  readonly print: string;
}

const copied = `select ${fingerprint('u.has_totp_at_home')} from memberships m join users u on u.id = m.user_id`;

/** The fingerprint that the copies in a cell should have. */
export async function fingerprintOfPeople(home: Queryable, cell: string): Promise<string> {
  const [row] = await home.query<People>({
    name: 'fingerprint_of_people',
    text: `select ${fingerprint(hasSecondFactor('u.id'))} from ${atHome}`,
    values: [cell],
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** The fingerprint that the copies in this cell have. */
export async function fingerprintOfCopies(cell: Queryable): Promise<string> {
  const [row] = await cell.query<People>({
    name: 'fingerprint_of_copies',
    text: copied,
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** The people of a cell as the home database knows them. */
export interface PeopleAtHome {
  /** The people of its accounts, as JSON text. */
  readonly people: string;
  /** Accounts whose move to the cell is being committed: their people may be in the cell before the directory says so. */
  readonly arriving: readonly string[];
}

/** Reads the people of the accounts in a cell, for `replaceCopies`. */
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

/** CTE `p` with the people that were read at home. */
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
 * Makes the copies in this cell equal to what was read at home. Copies that arrived meanwhile, with an account or from
 * another process, may be newer than that; then nothing is removed, and the next run compares again.
 * @param before the fingerprint of the copies, read before the people at home
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
  // No copies of people remain whose accounts have left the cell, so that their addresses do not stay either.
  await cell.query({
    text: 'delete from users u where not exists (select from memberships m where m.user_id = u.id)',
    scope: 'nobody',
  });
}

/** Reads the people of one account, as JSON text for `addCopies`. */
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

/** Adds copies of people to those in a cell. */
export async function addCopies(cell: Pick<Connection, 'query'>, people: string): Promise<void> {
  await cell.query({ text: `${readCopies} ${insertCopies}`, values: [people] });
}
