import { type Connection, sqlState } from '../../store/database.ts';
import { takeNoted } from './source.ts';
import { isOf, type MovedAccount, type MovedTable } from './tables.ts';

/** The number of rows that are copied at once. It is smaller for files, which may have megabytes each. */
const chunk = 500;
const chunkOfFiles = 4;
const uniqueViolation = '23505';

const sizeOf = ({ name }: MovedTable) => (name === 'files' ? chunkOfFiles : chunk);

/** SQL that returns rows as JSON with every value in PostgreSQL's text form, which loses nothing. @param from the FROM clause */
const asText = ({ columns }: MovedTable, from: string) =>
  `select row_to_json(x)::text as row from (
     select ${columns.map(({ name }) => `t.${name}::text as ${name}`).join(', ')} ${from}) x`;

/** Upserts rows in the form of `asText`. */
async function put(target: Connection, table: MovedTable, rows: readonly string[]): Promise<void> {
  const { name, key, columns } = table;
  const others = columns.filter((column) => !key.includes(column.name));
  const change =
    others.length === 0
      ? 'do nothing'
      : `do update set ${others.map((column) => `${column.name} = excluded.${column.name}`).join(', ')}`;
  await target.query({
    text: `insert into ${name} (${columns.map((column) => column.name).join(', ')}) overriding system value
           select ${columns.map((column) => `r.${column.name}::${column.type}`).join(', ')}
           from json_to_recordset($1::json) as r (${columns.map((column) => `${column.name} text`).join(', ')})
           on conflict (${key.join(', ')}) ${change}`,
    values: [`[${rows.join(',')}]`],
  });
}

/**
 * Copies the rows of an account from one snapshot.
 * @param source in a repeatable-read transaction
 * @param onRows called with the number of rows in each chunk
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
      text: `declare leaving no scroll cursor for ${asText(table, `from ${table.name} t where ${isOf(table, account, 't')}`)}`,
    });
    for (;;) {
      const rows = await source.query<{ row: string }>({ text: `fetch ${sizeOf(table)} from leaving` });
      if (rows.length === 0) break;
      await put(
        target,
        table,
        rows.map(({ row }) => row),
      );
      onRows(rows.length);
    }
    await source.query({ text: 'close leaving' });
  }
}

/** The keys of written rows of one table, as JSON. */
interface Written {
  readonly table: MovedTable;
  readonly keys: string;
}

/**
 * Copies the rows that were written since the last call, and deletes those that were deleted.
 * @param target in a transaction
 * @param tables in the order of their foreign keys
 * @returns the number of rows
 */
export async function catchUp(
  source: Connection,
  target: Connection,
  { accountId }: MovedAccount,
  tables: readonly MovedTable[],
): Promise<number> {
  const noted = await takeNoted(source, accountId, { max: chunk, ofFiles: chunkOfFiles });
  const written: Written[] = tables.flatMap((table) =>
    noted.filter(({ name }) => name === table.name).map(({ keys }) => ({ table, keys })),
  );
  const gone: Written[] = [];
  for (const { table, keys } of written) {
    const missing = await missingOf(source, table, keys);
    if (missing !== null) gone.unshift({ table, keys: missing });
  }
  // Deletions come first: new rows may have taken over unique values of the deleted ones.
  for (const { table, keys } of gone) await remove(target, table, keys);
  for (const table of tables) {
    const chunks = written.filter((one) => one.table === table).map(({ keys }) => keys);
    await copyByKeys(source, target, table, chunks);
  }
  return noted.reduce((sum, { count }) => sum + count, 0);
}

const listed = ({ key }: MovedTable, row: string) => key.map((column) => `${row}.${column}`).join(', ');

/** The keys, as JSON, for which no row exists; null if all exist. */
async function missingOf(source: Connection, table: MovedTable, keys: string): Promise<string | null> {
  const [row] = await source.query<{ missing: string | null }>({
    text: `select json_agg(k)::text as missing
           from (select ${table.key.join(', ')} from json_populate_recordset(null::${table.name}, $1::json)) k
           where not exists (select from ${table.name} t where (${listed(table, 't')}) = (${listed(table, 'k')}))`,
    values: [keys],
  });
  return row?.missing ?? null;
}

async function remove(target: Connection, table: MovedTable, keys: string): Promise<void> {
  await target.query({
    text: `delete from ${table.name} t using json_populate_recordset(null::${table.name}, $1::json) k
           where (${listed(table, 't')}) = (${listed(table, 'k')})`,
    values: [keys],
  });
}

/** Copies rows by their keys. A row that takes a unique value over from another row is written after that one. */
async function copyByKeys(
  source: Connection,
  target: Connection,
  table: MovedTable,
  chunks: readonly string[],
): Promise<void> {
  let waiting: string[] = [];
  for (const keys of chunks) {
    const from = `from ${table.name} t
      join (select ${table.key.join(', ')} from json_populate_recordset(null::${table.name}, $1::json)) k
        using (${table.key.join(', ')}) order by ${listed(table, 't')}`;
    const found = await source.query<{ row: string }>({ text: asText(table, from), values: [keys] });
    const rows = found.map(({ row }) => row);
    if (rows.length > 0 && !(await tryToPut(target, table, rows))) waiting.push(...rows);
  }
  while (waiting.length > 0) {
    const left: string[] = [];
    for (const row of waiting) if (!(await tryToPut(target, table, [row]))) left.push(row);
    if (left.length === waiting.length) {
      throw new Error(
        `rows of ${table.name} took each other's place while they were copied: call this again`,
      );
    }
    waiting = left;
  }
}

/** Upserts rows. @returns false after a violation of a unique constraint, with the rows unchanged */
async function tryToPut(target: Connection, table: MovedTable, rows: readonly string[]): Promise<boolean> {
  await target.query({ text: 'savepoint putting' });
  try {
    await put(target, table, rows);
    await target.query({ text: 'release savepoint putting' });
    return true;
  } catch (error) {
    if (sqlState(error) !== uniqueViolation) throw error;
    await target.query({ text: 'rollback to savepoint putting' });
    return false;
  }
}
