import { acrossAccounts, type Database } from '../database.ts';

const pageBytes = 8192;
/** A table of fewer pages is read in no time, by whatever index. */
const fewPages = 4;
/** How many times as large as at the last look a table has to be. */
const growth = 4;

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
  const names = rows.map(({ name }) => name);
  if (names.length > 0) await own.query({ text: `analyze (skip_locked) ${names.join(', ')}` });
  return names;
}
