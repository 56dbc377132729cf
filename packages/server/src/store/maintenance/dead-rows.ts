import { acrossAccounts, type Database } from '../database.ts';

/** A table is vacuumed once it has at least this many dead rows. */
const manyDead = 5_000;
/** A table with fewer dead rows than this per live row is left to PostgreSQL's autovacuum. */
const deadForEach = 4;

interface BloatedTable {
  readonly name: string;
  readonly dead: number;
}

const findBloatedTables = {
  name: 'find_dying_tables',
  text: `select relid::regclass::text as name, n_dead_tup::int as dead from pg_stat_user_tables
         where schemaname in ('public', 'sandbox')
           and n_dead_tup >= ${manyDead} and n_dead_tup >= ${deadForEach} * n_live_tup
         order by 1`,
};

/**
 * Vacuums tables that consist mainly of dead rows, such as the table of open operations. PostgreSQL's autovacuum runs once a
 * minute by default. Until then a statement that reads the few live rows skips over all dead ones; each list of payments does so
 * for the payments without an answer. Several processes may run this at once.
 * @returns a function to call every few seconds; it returns the names of the vacuumed tables
 */
export function vacuumOfBloatedTables(db: Database): () => Promise<string[]> {
  const own = acrossAccounts(db);
  const find = () => own.query<BloatedTable>(findBloatedTables);
  /** How many dead rows the last vacuum of a table left: a transaction might still see them, or the vacuum did not finish. */
  let left = new Map<string, number>();
  return async () => {
    const found = await find();
    // PostgreSQL may have removed some of them since.
    left = new Map(found.map(({ name, dead }) => [name, Math.min(dead, left.get(name) ?? 0)]));
    const due = found.filter(({ name, dead }) => dead >= 2 * (left.get(name) ?? 0));
    for (const { name, dead } of due) {
      // Set before the vacuum: one that exceeds the statement timeout is left to PostgreSQL, not restarted every few seconds.
      left.set(name, dead);
      await own.query({ text: `vacuum (skip_locked, truncate off) ${name}` });
    }
    if (due.length > 0) {
      const after = new Map((await find()).map(({ name, dead }) => [name, dead]));
      for (const { name } of due) left.set(name, after.get(name) ?? 0);
    }
    return due.map(({ name }) => name);
  };
}
