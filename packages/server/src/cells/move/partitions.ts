import type { Clock } from '../../lib/clock.ts';
import { type Connection, sqlState } from '../../store/database.ts';
import { lockNotAvailable, withLock } from './source.ts';

interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly bound: string;
}

const partitions = `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where c.relispartition and c.relkind = 'r' and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`;

/**
 * Creates the source's partitions that the target lacks. If the default partition has rows, or another move locks the table, the
 * partition is not created and its rows go to the default one.
 */
export async function alignPartitions(source: Connection, target: Connection, clock: Clock): Promise<void> {
  const there = new Set((await target.query<Partition>({ text: partitions })).map(({ name }) => name));
  for (const { name, parent, bound } of await source.query<Partition>({ text: partitions })) {
    if (there.has(name)) continue;
    const [other] = await target.query<{ empty: boolean }>({
      text: `select not exists (select from ${parent}_other) as empty`,
    });
    if (other?.empty === true) {
      const text = `create table if not exists ${name} partition of ${parent} ${bound}`;
      await withLock(target, clock, text).catch((error: unknown) => {
        if (sqlState(error) !== lockNotAvailable) throw error;
      });
    }
  }
}
