import { parseTime } from './parse.ts';
import type { TenantId } from './tenant.ts';

/** A column: its type in SQL, and that of its values here. */
export interface Column<T> {
  readonly sql: string;
  readonly isNullable?: boolean;
  readonly value?: T;
}

/** Columns of a table, or of the input of a statement, in their order. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row with these columns. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};

const column = <T>(sql: string): Column<T> => ({ sql });

export const text = column<string>('text');
export const texts = column<readonly string[]>('text[]');
export const int = column<number>('int');
/** Every number of ours is below 2^53. */
export const bigint = column<number>('bigint');
export const bool = column<boolean>('boolean');
export const bytes = column<Buffer>('bytea');
/** Bytes of an input that comes as JSON (`bytesInJson`). */
export const jsonBytes = column<string>('bytea');
export const time = column<Date>('timestamptz');
/** Text of which the database keeps only these. */
export const oneOf = <T extends string>(): Column<T> => column<T>('text');
export const json = <T>(): Column<T> => column<T>('json');
export const nullable = <T>({ sql }: Column<T>): Column<T | null> => ({ sql, isNullable: true });

/** The column by which a row belongs to an account in one mode. */
export const tenantColumns = { tenant: column<TenantId>('int') } as const;
/** That one, and the id. */
export const keyColumns = { ...tenantColumns, id: text } as const;
export type KeyColumn = keyof typeof keyColumns;

/** The columns without some of them. */
export function without<C extends Columns, Name extends keyof C>(
  columns: C,
  ...names: readonly Name[]
): Omit<C, Name> {
  const left = Object.entries(columns).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(left) as Omit<C, Name>;
}

/** Some of the columns. */
export const only = <C extends Columns, Name extends keyof C & string>(
  columns: C,
  ...names: readonly Name[]
): Pick<C, Name> =>
  Object.fromEntries(names.map((name) => [name, columns[name]])) as unknown as Pick<C, Name>;

/**
 * The columns for a list of them in SQL.
 * @param of the table or alias that they belong to
 * @param computed SQL for those that the table has not, or not so
 */
export const listOf = <C extends Columns>(
  columns: C,
  of?: string,
  computed?: Readonly<Partial<Record<keyof C, string>>>,
): string =>
  Object.keys(columns)
    .map((name) => {
      const sql = computed?.[name];
      if (sql !== undefined) return `${sql} as ${name}`;
      return of === undefined ? name : `${of}.${name}`;
    })
    .join(', ');

/** How the rows of a statement come as JSON. */
export interface RowsAsJson<Row> {
  /** SQL for a row as one value. @param of the table or alias that its columns belong to */
  readonly select: (of?: string) => string;
  /** The row of such a value. */
  readonly read: (values: readonly unknown[]) => Row;
}

/**
 * Rows as JSON arrays. Of a plain row the driver cuts out and converts each column by itself, which takes four times as long.
 * @throws Error for a column of bytes, which are not the same in JSON
 */
export function rowsAsJson<C extends Columns>(columns: C): RowsAsJson<RowOf<C>> {
  const readers = Object.entries(columns).map(([name, { sql }]) => {
    if (sql === 'bytea') throw new Error(`a column of bytes cannot be read as JSON: ${name}`);
    const read = sql === 'timestamptz' ? readTime : asItIs;
    return { name, read };
  });
  return {
    select: (of) => `json_build_array(${listOf(columns, of)})`,
    read(values) {
      const row: Record<string, unknown> = {};
      for (let n = 0; n < readers.length; n += 1) {
        const { name, read } = readers[n] as (typeof readers)[number];
        row[name] = read(values[n]);
      }
      return row as RowOf<C>;
    },
  };
}

const asItIs = (value: unknown): unknown => value;
const readTime = (value: unknown): unknown => (typeof value === 'string' ? parseTime(value) : value);

/** The parameters of a statement that inserts one row with these columns. @param first number */
export const parametersOf = (columns: Columns, first = 1): string =>
  Object.keys(columns)
    .map((_name, index) => `$${first + index}`)
    .join(', ');

/** The values of those parameters. An object of a JSON column is written as text: the driver takes an array for one of SQL. */
export const valuesOf = <C extends Columns>(columns: C, row: RowOf<C>): unknown[] =>
  Object.entries(columns).map(([name, { sql }]) => {
    const value: unknown = row[name];
    return sql === 'json' && value !== null ? JSON.stringify(value) : value;
  });

/** The columns with their types, for `json_to_record` and `json_to_recordset`. */
export const typesOf = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `${name} ${sql}`)
    .join(', ');

/** SQL for the rows of a statement's first parameter, a JSON array of objects with these columns. */
export const rowsOfJson = (columns: Columns): string =>
  `json_to_recordset($1::json) as r (${typesOf(columns)})`;

/** What a statement's row is made of: fields of the first object, and those of the second in their place or beside them. */
export type Merged<Base, More> = Omit<Base, keyof More> & More;

/**
 * The first parameter of a statement that reads `rowsOfJson(columns)`: of each pair of objects these columns alone, and of
 * them what is not null. To merge the objects first and write all of their fields takes several times as long, here and in
 * the database.
 */
export function jsonRows<C extends Columns, Base extends object, More extends object>(
  columns: C,
  rows: readonly (readonly [Base, More])[] & (Merged<Base, More> extends RowOf<C> ? unknown : never),
): string {
  const names = Object.keys(columns);
  const objects = rows.map(([base, more]) => {
    let fields = '';
    for (const name of names) {
      fields = withField(fields, name, name in more ? more[name as keyof More] : base[name as keyof Base]);
    }
    return `{${fields}}`;
  });
  return `[${objects.join(',')}]`;
}

/** Bytes as PostgreSQL reads them from JSON. */
export const bytesInJson = (value: Buffer): string => `\\x${value.toString('hex')}`;

/** JSON that is written already, for a field of `jsonRows`. */
export class JsonText {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

/** A row as JSON for `json_to_record`: these columns alone, and of them what is not null. @param known values that are left out */
export function jsonRow<C extends Columns>(
  columns: C,
  row: RowOf<C>,
  known: Partial<RowOf<C>> = {},
): JsonText {
  let fields = '';
  for (const name of Object.keys(columns)) {
    if (row[name] !== known[name]) fields = withField(fields, name, row[name]);
  }
  return new JsonText(`{${fields}}`);
}

/** As `JSON.stringify` writes it, which is slow to begin for what needs nothing of it. */
function writtenJson(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return value instanceof JsonText ? value.written : JSON.stringify(value);
}

function withField(fields: string, name: string, value: unknown): string {
  if (value === null || value === undefined) return fields;
  return `${fields}${fields === '' ? '' : ','}"${name}":${writtenJson(value)}`;
}

/** The columns for `update … set`, each from the same column of another table. */
export const assigned = (columns: Columns, from: string): string =>
  Object.keys(columns)
    .map((name) => `${name} = ${from}.${name}`)
    .join(', ');

/**
 * A common table expression (CTE) by its name, and the columns that its rows have at least. A fragment of SQL that reads it
 * says in its type which of them it needs.
 */
export interface Cte<Names extends string> {
  readonly name: string;
  readonly columns: Readonly<Record<Names, unknown>>;
}

/** Names a CTE and what its rows have. */
export const cte = <C extends Columns>(name: string, columns: C): Cte<keyof C & string> => ({
  name,
  columns,
});
