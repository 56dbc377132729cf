import { acrossAccounts, type Database } from '../database.ts';

const pageBytes = 8192;
/** A table with fewer pages is fast to read with any plan. */
const fewPages = 4;
/** A table is analyzed once it is this many times as large as at its last analyze. */
const growth = 4;
/**
 * PostgreSQL samples 300 rows per unit. With the default of 100, an analyze of the payments table occupies a core for 290 ms,
 * during which payments wait; with this value for 27 ms. That is precise enough until the table has grown again or autovacuum
 * analyzes it.
 */
const statisticsTarget = 10;

/**
 * Analyzes tables that were never analyzed, or have become four times as large since. PostgreSQL's autovacuum runs once a
 * minute by default. Until then the planner assumes that 200 accounts share a few rows, and each look-up by a key reads all
 * rows of the account. An analyze makes PostgreSQL replan such statements. Several processes may run this at once.
 * @returns the names of the analyzed tables
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
