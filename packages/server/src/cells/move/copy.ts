import type { Connection } from '../../store/database.ts';
import { takeNoted } from './source.ts';
import { isOf, type MovedAccount, type MovedTable } from './tables.ts';

/** Rows that are carried at once; of files, which are megabytes each, fewer. */
const chunk = 500;
const chunkOfFiles = 4;

const sizeOf = ({ name }: MovedTable) => (name === 'files' ? chunkOfFiles : chunk);

/** Puts rows, as JSON text, into a table: anew, or over what is there. */
async function put(target: Connection, table: MovedTable, rows: string): Promise<void> {
  const { name, key, columns } = table;
  const others = columns.filter((column) => !key.includes(column));
  const change =
    others.length === 0
      ? 'do nothing'
      : `do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  const list = columns.join(', ');
  await target.query({
    text: `insert into ${name} (${list}) overriding system value
           select ${list} from json_populate_recordset(null::${name}, $1::json) on conflict (${key.join(', ')}) ${change}`,
    values: [rows],
  });
}

/**
 * Copies the rows of an account as they were at one moment.
 * @param source in a transaction with one snapshot
 * @param onRows called with how many were copied
 */
export async function copyRows(
  source: Connection,
  target: Connection,
  account: MovedAccount,
  tables: readonly MovedTable[],
  onRows: (count: number) => void,
): Promise<void> {
  for (const table of tables) {
    await source.query({
      text: `declare leaving no scroll cursor for
             select row_to_json(t)::text as row from ${table.name} t where ${isOf(table, account, 't')}`,
    });
    for (;;) {
      const rows = await source.query<{ row: string }>({ text: `fetch ${sizeOf(table)} from leaving` });
      if (rows.length === 0) break;
      await put(target, table, `[${rows.map(({ row }) => row).join(',')}]`);
      onRows(rows.length);
    }
    await source.query({ text: 'close leaving' });
  }
}

/**
 * Brings what was written since the last time. @param tables in the order in which they refer to each other
 * @returns how many rows that were
 */
export async function catchUp(
  source: Connection,
  target: Connection,
  { accountId }: MovedAccount,
  tables: readonly MovedTable[],
): Promise<number> {
  const noted = new Map((await takeNoted(source, accountId)).map((row) => [row.name, row]));
  const gone: { readonly table: MovedTable; readonly keys: string }[] = [];
  let count = 0;
  for (const table of tables) {
    const found = noted.get(table.name);
    if (found === undefined) continue;
    count += found.count;
    const columns = table.key.join(', ');
    const [present] = await source.query<{ rows: string | null; keys: string | null }>({
      text: `with k as materialized (select ${columns} from json_populate_recordset(null::${table.name}, $1::json))
             select (select json_agg(t order by ${table.key.map((column) => `t.${column}`).join(', ')})::text
                     from ${table.name} t join k using (${columns})) as rows,
               (select json_agg(k)::text from k where not exists (
                  select from ${table.name} t where (${table.key.map((column) => `t.${column}`).join(', ')})
                    = (${table.key.map((column) => `k.${column}`).join(', ')}))) as keys`,
      values: [found.keys],
    });
    if (present?.rows != null) await put(target, table, present.rows);
    if (present?.keys != null) gone.unshift({ table, keys: present.keys });
  }
  for (const { table, keys } of gone) {
    const same = table.key.map((column) => `t.${column} = k.${column}`).join(' and ');
    await target.query({
      text: `delete from ${table.name} t using json_populate_recordset(null::${table.name}, $1::json) k where ${same}`,
      values: [keys],
    });
  }
  return count;
}
