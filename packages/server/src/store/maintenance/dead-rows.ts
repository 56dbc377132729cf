import { acrossAccounts, type Database } from '../database.ts';

/** A table is vacuumed from so many dead rows on. */
const manyDead = 5_000;
/** It is left to PostgreSQL where it has fewer dead rows than this for each that lives. */
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
 * Vacuums tables that consist of dead rows mostly, as that of open operations does. PostgreSQL's own daemon looks once a
 * minute by default; until then a statement that reads the few rows that live passes all that died, as each list of payments
 * does for those without an answer. May be run by several processes at once.
 * @returns what is to be run every few seconds; it returns the names of the tables
 */
export function vacuumOfBloatedTables(db: Database): () => Promise<string[]> {
  const own = acrossAccounts(db);
  const find = () => own.query<BloatedTable>(findBloatedTables);
  /** Dead rows that the last vacuum of a table left, since a transaction might still see them or it did not end. */
  let left = new Map<string, number>();
  return async () => {
    const found = await find();
    // Those that PostgreSQL has removed since are left no more.
    left = new Map(found.map(({ name, dead }) => [name, Math.min(dead, left.get(name) ?? 0)]));
    const due = found.filter(({ name, dead }) => dead >= 2 * (left.get(name) ?? 0));
    for (const { name, dead } of due) {
      // Before it ends: one that takes longer than a statement may is left to PostgreSQL, and not begun every few seconds.
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
