import { OperatorError } from '../../accounts/accounts.ts';
import type { Clock } from '../../lib/clock.ts';
import { isAnswerAwaited } from '../../operations/sql.ts';
import { type Connection, type Database, sqlState } from '../../store/database.ts';
import { firstTables, isOf, type MovedAccount, type MovedTable } from './tables.ts';

export const lockNotAvailable = '55P03';
/** The pauses between attempts, which grow. Each attempt blocks the table for others for up to a tenth of a second. */
const pausesMs = { first: 50, max: 1_000 };
const maxTries = 60;

const triggerOf = ({ accountId }: MovedAccount, of: 'write' | 'delete') => `departing_${of}_${accountId}`;

/** Changes a table with a short lock timeout, and retries: a statement that waits for a table lock blocks all later ones. */
export async function withLock(db: Connection, clock: Clock, text: string): Promise<void> {
  let pauseMs = pausesMs.first;
  for (let tries = 1; ; tries += 1) {
    try {
      await tryWithLock(db, text);
      return;
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable || tries >= maxTries) throw error;
      await clock.delay(pauseMs);
      pauseMs = Math.min(pauseMs * 1.5, pausesMs.max);
    }
  }
}

/** Sends both statements in one message, which makes them one transaction. */
const tryWithLock = (db: Connection, text: string) =>
  db.query({ text: `set local lock_timeout = '100ms'; ${text}` });

/**
 * Begins to note the keys of all rows of an account that are written. Creating a trigger locks the table, which waits for earlier
 * writers: a write that is not noted is therefore committed before the copy begins.
 */
export async function noteWrites(
  db: Connection,
  clock: Clock,
  account: MovedAccount,
  tables: readonly MovedTable[],
): Promise<void> {
  await db.query({
    text: `insert into departures (account_id, state, at) values ($1, 'copying', $2)
           on conflict (account_id) do update set state = 'copying', at = excluded.at`,
    values: [account.accountId, clock.now()],
  });
  for (const table of tables) {
    const parameters = [account.accountId, table.name, ...table.key].map((text) => `'${text}'`).join(', ');
    const create = (of: 'write' | 'delete', events: string, row: string) =>
      `create or replace trigger ${triggerOf(account, of)} before ${events} on ${table.name} for each row
       when (${isOf(table, account, row)}) execute function public.note_departing(${parameters})`;
    const both = [create('write', 'insert or update', 'new'), create('delete', 'delete', 'old')];
    await withLock(db, clock, both.join('; '));
  }
}

/** Removes the fence and the notes of an account that has left or that stays. From then on its triggers do nothing. */
export async function endDeparture(db: Connection, accountId: string): Promise<void> {
  await db.query({ text: 'delete from departures where account_id = $1', values: [accountId] });
  await db.query({ text: 'delete from departed_rows where account_id = $1', values: [accountId] });
}

const idle = `t.tgname like 'departing\\_%' and t.tgparentid = 0 and not exists (
  select from departures d where t.tgname in ('departing_write_' || d.account_id, 'departing_delete_' || d.account_id))`;

/** Whether there are triggers of departures that have ended. */
export async function hasIdleTriggers(db: Database): Promise<boolean> {
  const rows = await db.query({
    name: 'find_idle_triggers',
    scope: 'nobody',
    text: `select from pg_trigger t where ${idle} limit 1`,
  });
  return rows.length > 0;
}

/**
 * Drops triggers of departures that have ended. Stops at the first table that is in use, for example by a backup for hours: an
 * idle trigger costs next to nothing.
 */
export async function dropIdleTriggers(db: Connection): Promise<void> {
  const tables = await db.query<{ name: string }>({
    text: `select distinct t.tgrelid::regclass::text as name from pg_trigger t where ${idle} order by name`,
  });
  for (const { name } of tables) {
    // The triggers are selected under the lock: a move that begins meanwhile creates its triggers after it.
    const drop = `lock table ${name} in access exclusive mode;
      do $drop$
      declare one name;
      begin
        for one in select t.tgname from pg_trigger t where t.tgrelid = '${name}'::regclass and ${idle} loop
          execute format('drop trigger %I on ${name}', one);
        end loop;
      end $drop$`;
    try {
      await tryWithLock(db, drop);
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error;
      return;
    }
  }
}

/** Sets the state of an account's departure, if there is one. @param at real time */
export async function setDeparture(
  db: Connection,
  accountId: string,
  state: 'copying' | 'fenced' | 'gone',
  at: Date,
): Promise<void> {
  await db.query({
    text: 'update departures set state = $2, at = $3 where account_id = $1',
    values: [accountId, state, at],
  });
}

const writers = `select virtualtransaction as name from pg_locks
  where locktype = 'advisory' and classid = 7110430 and objsubid = 2 and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and objid = (hashtext($1)::bigint & 4294967295)::oid`;

/**
 * Refuses all further writes of an account, and waits for the transactions that may still write.
 * @returns false if one of them takes too long
 */
export async function fence(
  db: Connection,
  clock: Clock,
  accountId: string,
  withinMs: number,
): Promise<boolean> {
  await setDeparture(db, accountId, 'fenced', clock.now());
  const until = clock.elapsed() + withinMs;
  const names = async () =>
    (await db.query<{ name: string }>({ text: writers, values: [accountId] })).map(({ name }) => name);
  let before = await names();
  while (before.length > 0) {
    if (clock.elapsed() >= until) return false;
    await clock.delay(5);
    const now = new Set(await names());
    before = before.filter((name) => now.has(name));
  }
  return true;
}

/**
 * Waits until no request to a processor is in flight for the account, but not beyond the limit: a response that arrives after the
 * fence cannot be stored, and its operation is then leased for minutes.
 */
export async function whenAnswered(
  db: Connection,
  clock: Clock,
  { tenants }: MovedAccount,
  withinMs: number,
): Promise<void> {
  const until = clock.elapsed() + withinMs;
  for (;;) {
    const [row] = await db.query<{ awaited: boolean }>({
      text: `select ${isAnswerAwaited('$1', '$2')} as awaited`,
      values: [tenants, clock.now()],
    });
    if (row?.awaited !== true || clock.elapsed() >= until) return;
    await clock.delay(20);
  }
}

/** Accounts that left before a time. */
export async function oldDepartures(db: Database, before: Date): Promise<readonly string[]> {
  const old = await db.query<{ accountId: string }>({
    name: 'old_departures',
    scope: 'nobody',
    text: `select account_id as "accountId" from departures where state = 'gone' and at < $1`,
    values: [before],
  });
  return old.map(({ accountId }) => accountId);
}

/** The keys, as JSON, of written rows of one table. */
interface NotedRows {
  readonly name: string;
  readonly keys: string;
  readonly count: number;
}

/** Takes the noted keys of rows written since the last call, by table and in chunks. */
export async function takeNoted(
  db: Connection,
  accountId: string,
  { max, ofFiles }: { readonly max: number; readonly ofFiles: number },
): Promise<readonly NotedRows[]> {
  return db.query<NotedRows>({
    text: `with taken as (delete from departed_rows where account_id = $1 returning name, key),
           numbered as (
             select name, key, (row_number() over (partition by name order by key) - 1)
               / case name when 'files' then $3::int else $2::int end as part
             from (select distinct name, key from taken) keys)
           select name, json_agg(key order by key)::text as keys, count(*)::int as count from numbered
           group by name, part order by name, part`,
    values: [accountId, max, ofFiles],
  });
}

/**
 * Called before rows are copied or removed: rows of another account with the same tenant numbers would be taken for this one's.
 * @throws OperatorError `numbers_taken`
 */
export async function requireFreeNumbers(
  db: Connection,
  { accountId, tenants }: MovedAccount,
): Promise<void> {
  const [other] = await db.query<{ account_id: string }>({
    text: 'select account_id from tenants where tenant = any ($1) and account_id <> $2',
    values: [tenants, accountId],
  });
  if (other === undefined) return;
  throw new OperatorError(
    'numbers_taken',
    `${other.account_id} has the numbers of ${accountId} there: home was restored without its cells. See docs/operating/back-up.md.`,
  );
}

/** Deletes the rows of an account, never those of other accounts. Referring rows are deleted before the rows they refer to. */
export async function removeRows(
  db: Connection,
  account: MovedAccount,
  tables: readonly MovedTable[],
): Promise<void> {
  await requireFreeNumbers(db, account);
  await db.query({ text: `select set_config('till.mover', $1, false)`, values: [account.accountId] });
  for (const table of tables.toReversed()) {
    for (;;) {
      const rows = await db.query({
        text: `delete from ${table.name} where ctid = any (array(
                 select ctid from ${table.name} t where ${isOf(table, account, 't')} limit 5000))
               and ${isOf(table, account, table.name.split('.').at(-1) ?? '')} returning 1 as gone`,
      });
      if (rows.length < 5000) break;
    }
  }
  await db.query({ text: 'reset till.mover' });
}

/** Whether a table's rows are copied before the rest. */
export const isFirst = ({ name }: MovedTable): boolean => firstTables.includes(name);
