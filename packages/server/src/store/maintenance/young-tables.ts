import { acrossAccounts, type Database } from '../database.ts';

const pageBytes = 8192;
/** A table of fewer pages is read in no time, by whatever index. */
const fewPages = 4;
/** How many times as large as at the last look a table has to be. */
const growth = 4;
/**
 * PostgreSQL reads 300 rows for each of these. With its default of 100 an analyze of the payments takes a core for 290 ms, in
 * which payments wait; with this one for 27, which is enough until the table has grown again or PostgreSQL itself looks.
 */
const statisticsTarget = 10;

/**
 * Analyzes tables that were never analyzed, or have become four times as large since. PostgreSQL's own daemon looks once a
 * minute by default; until then a table counts as one in which 200 accounts share some rows, and each look-up by a key reads
 * all rows of the account. Statements that were planned so are planned anew after it. May be run by several processes at once.
 * @returns the names of the tables
 */
export async function analyzeYoungTables(db: Database): Promise<string[]> {
  const own = acrossAccounts(db);
  const rows = await own.query<{ name: string }>({
    name: 'find_young_tables',
    text: `select c.oid::regclass::text as name
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'sandbox')
             and pg_relation_size(c.oid) >= ${pageBytes} * greatest(${fewPages}, ${growth} * c.relpages::bigint)
           order by 1`,
  });
  for (const { name } of rows) {
    await db.transaction(async (tx) => {
      const { query } = acrossAccounts(tx);
      await query({ text: `set local default_statistics_target = ${statisticsTarget}` });
      await query({ text: `analyze (skip_locked) ${name}` });
    });
  }
  return rows.map(({ name }) => name);
}
