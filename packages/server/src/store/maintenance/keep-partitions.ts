import type { Connection, Database } from '../database.ts';
import { acrossAccounts } from '../database.ts';

/** A table that is partitioned by range of `at`. Its default partition `<table>_other` takes rows that no other one covers. */
export interface PartitionedTable {
  readonly table: string;
  /** The time span of one partition; spans are counted from 1970. */
  readonly spanMs: number;
  /** How many partitions to create ahead of the current one. */
  readonly ahead: number;
  readonly retentionMs: number;
  /** The number of the advisory lock that lets one process at a time maintain the table. */
  readonly lockNumber: number;
}

/** All writers of the table queue behind a waiting lock request, so give up soon and retry at the next run. */
const lockTimeout = '500ms';

const nameOf = ({ table }: PartitionedTable, from: number) =>
  `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;

/**
 * Creates the current partition and those ahead, and drops partitions in which all rows are past the retention time. It is
 * idempotent, and several processes may run it at once.
 * @param now real time
 * @throws Error if the lock timeout passes, because a long transaction has written to the table
 */
export async function keepPartitions(db: Database, kept: PartitionedTable, now: Date): Promise<void> {
  await db.transaction(async (scoped) => {
    const tx = acrossAccounts(scoped);
    await tx.query({ text: 'select pg_advisory_xact_lock($1)', values: [kept.lockNumber] });
    await tx.query({ text: `set local lock_timeout = '${lockTimeout}'` });
    const present = Math.floor(now.getTime() / kept.spanMs) * kept.spanMs;
    for (let ahead = 0; ahead <= kept.ahead; ahead += 1) {
      await makePartition(tx, kept, present + ahead * kept.spanMs);
    }
    await dropOld(tx, kept, now);
  });
}

async function makePartition(tx: Connection, kept: PartitionedTable, start: number): Promise<void> {
  const { table, spanMs } = kept;
  const [from, to] = [new Date(start), new Date(start + spanMs)];
  const name = nameOf(kept, start);
  const [there] = await tx.query<{ made: boolean; taken: boolean }>({
    text: `select to_regclass($1) is not null as made,
             exists (select from ${table}_other where at >= $2 and at < $3) as taken`,
    values: [name, from, to],
  });
  // If the default partition already has rows of that span, they stay there, and so do all later rows of the span.
  if (there === undefined || there.made || there.taken) return;
  await tx.query({
    text: `create table ${name} partition of ${table}
           for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
  });
}

async function dropOld(tx: Connection, kept: PartitionedTable, now: Date): Promise<void> {
  const { table, spanMs, retentionMs } = kept;
  const before = new Date(now.getTime() - retentionMs);
  const partitions = await tx.query<{ name: string }>({
    text: `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = $1::regclass and c.relname ~ ('^' || $1 || '_[0-9]{8}$')`,
    values: [table],
  });
  const oldest = nameOf(kept, before.getTime() - spanMs);
  // The names sort by time.
  for (const { name } of partitions) {
    if (name <= oldest) await tx.query({ text: `drop table ${name}` });
  }
  await tx.query({ text: `delete from ${table}_other where at < $1`, values: [before] });
}
