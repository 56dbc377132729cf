import { parseTime } from './parse.ts';
import type { TenantId } from './tenant.ts';

/** A column: its SQL type and the TypeScript type of its values. */
export interface Column<T> {
  readonly sql: string;
  readonly isNullable?: boolean;
  readonly value?: T;
}

/** The columns of a table, or of the input of a statement, in order. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row with these columns. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};

const column = <T>(sql: string): Column<T> => ({ sql });

export const text = column<string>('text');
export const texts = column<readonly string[]>('text[]');
export const int = column<number>('int');
/** Read as a number: every value that Till stores is below 2^53. */
export const bigint = column<number>('bigint');
export const bool = column<boolean>('boolean');
export const bytes = column<Buffer>('bytea');
/** Bytes in the JSON input of a statement, as `bytesInJson` writes them. */
export const jsonBytes = column<string>('bytea');
export const time = column<Date>('timestamptz');
/** Text that is one of the values of `T`, which the database enforces. */
export const oneOf = <T extends string>(): Column<T> => column<T>('text');
export const json = <T>(): Column<T> => column<T>('json');
export const nullable = <T>({ sql }: Column<T>): Column<T | null> => ({ sql, isNullable: true });

/** The column that assigns a row to an account in one mode. */
export const tenantColumns = { tenant: column<TenantId>('int') } as const;
/** The tenant and the id. */
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
 * SQL for a list of the columns.
 * @param of the table or alias that has the columns
 * @param computed SQL expressions for columns that the table lacks or stores in another form
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

/** Reads the rows of a statement that returns each row as one JSON value. */
export interface RowsAsJson<Row> {
  /** SQL for a row as one value. @param of the table or alias that has the columns */
  readonly select: (of?: string) => string;
  /** Converts such a value to a row. */
  readonly read: (values: readonly unknown[]) => Row;
}

/**
 * Rows as JSON arrays. For a plain row the driver extracts and converts each column separately, which takes four times as long.
 * @throws Error for a column of bytes, which JSON represents differently
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

/** The parameters of a statement that inserts one row with these columns. @param first the number of the first parameter */
export const parametersOf = (columns: Columns, first = 1): string =>
  Object.keys(columns)
    .map((_name, index) => `$${first + index}`)
    .join(', ');

/** The values of those parameters. JSON values are passed as text, because the driver would turn an array into a SQL array. */
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

/** The fields of `Base`, with the fields of `More` replacing or extending them. */
export type Merged<Base, More> = Omit<Base, keyof More> & More;

/**
 * The first parameter of a statement that reads `rowsOfJson(columns)`. Each row merges a pair of objects and contains only the
 * given columns, without nulls. Merging the objects first and writing all of their fields would take several times as long,
 * both here and in the database.
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

/** Bytes in the form that PostgreSQL reads from JSON. */
export const bytesInJson = (value: Buffer): string => `\\x${value.toString('hex')}`;

/** JSON that is already serialised, for a field of `jsonRows`. */
export class JsonText {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

/** A row as JSON for `json_to_record`: only the given columns, without nulls. @param known values to leave out */
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

/** The same text as `JSON.stringify`, whose call overhead is high for values as simple as these. */
function writtenJson(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return value instanceof JsonText ? value.written : JSON.stringify(value);
}

function withField(fields: string, name: string, value: unknown): string {
  if (value === null || value === undefined) return fields;
  return `${fields}${fields === '' ? '' : ','}"${name}":${writtenJson(value)}`;
}

/** The assignments of an `update … set`, each from the same column of another table. */
export const assigned = (columns: Columns, from: string): string =>
  Object.keys(columns)
    .map((name) => `${name} = ${from}.${name}`)
    .join(', ');

/**
 * The name of a common table expression (CTE), and the columns that its rows have at least. A SQL fragment that reads the CTE
 * declares in its parameter type which columns it needs.
 */
export interface Cte<Names extends string> {
  readonly name: string;
  readonly columns: Readonly<Record<Names, unknown>>;
}

/** Describes a CTE by its name and the columns of its rows. */
export const cte = <C extends Columns>(name: string, columns: C): Cte<keyof C & string> => ({
  name,
  columns,
});
