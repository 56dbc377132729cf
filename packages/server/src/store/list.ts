import type { Queryable } from './database.ts';
import type { Scope, ScopedTenant } from './scope.ts';

/**
 * A filtered list counts and pages through at most this many matches, so that a page costs the same however many there are.
 * Lists without a filter have dense row numbers and need no bound (docs/architecture.md, "Lists").
 */
export const maxCounted = 10_000;

/** Interprets a `count(*)` over at most `maxCounted + 1` matches. */
export const capped = (counted: number): { readonly total: number; readonly capped: boolean } => ({
  total: Math.min(counted, maxCounted),
  capped: counted > maxCounted,
});

/** How many rows of a page lie within the bound. */
export const rowsWithin = (offset: number, perPage: number): number =>
  Math.max(0, Math.min(perPage, maxCounted - offset));

/** The rows of a list: the rows of a table, newest first. */
export interface ListedRows {
  readonly table: string;
  /** The table's alias in the columns, the join and the conditions; `r` by default. */
  readonly alias?: string;
  /** SQL for the columns, which include `id` and the columns of the order. */
  readonly columns: string;
  /** The columns of the table that define the order, each with its direction; `seq desc` by default. */
  readonly order?: readonly string[];
  /** SQL of a join that adds columns to each shown row. */
  readonly join?: string;
}

/** A list in which every row has a dense number, `seq` (docs/architecture.md, "Lists"). */
export interface NumberedRows extends ListedRows {
  /** The list's name among the counters. */
  readonly list: string;
  /**
   * The few numbers that are not shown: SQL that selects them as `seq`, with `$1` as the tenant. If the hidden rows are in the
   * table, `shown` is the condition that all other rows meet.
   */
  readonly hidden?: { readonly numbers: string; readonly shown?: string };
  /** Whether the oldest rows are deleted over time, so that the count is the greatest number less the smallest, plus one. */
  readonly isTrimmed?: boolean;
}

/** A column of each row of such a statement: the number of all rows of the list. */
export interface Counted {
  readonly total: number;
}
/** A row of such a statement: a row of the page with the number of all rows, or only that number if the page is empty. */
export type ListedRow<Row> = (Counted & Row) | (Counted & { readonly id: null });

const isOfPage = <Row extends { readonly id: string }>(row: ListedRow<Row>): row is Counted & Row =>
  row.id !== null;

/** The rows of a page, and the number of all rows. Each row keeps its `total`: copying the rows would take as long as reading. */
export const foundRows = <Row extends { readonly id: string }>(
  rows: readonly ListedRow<Row>[],
): { rows: (Counted & Row)[]; total: number } => ({
  rows: rows.filter(isOfPage),
  total: rows[0]?.total ?? 0,
});

/** SQL for the order of a list. @param of the table or alias that has the columns of the order */
export const orderOf = ({ order = ['seq desc'] }: ListedRows, of: string) =>
  order.map((column) => `${of}.${column}`).join(', ');

/**
 * SQL for a page of all rows of a tenant. The count is the greatest number, and a page is a range of numbers at any depth.
 * Hidden rows are counted exactly, and shift the page. `$1` is the tenant, `$2` the offset, `$3` the limit.
 */
export function numberedPage(rows: NumberedRows): string {
  const { table, alias = 'r', columns, list, join = '', hidden, isTrimmed } = rows;
  const last = 'k.last - $2::bigint';
  const of = `select ${columns} from ${table} ${alias} ${join} where ${alias}.tenant = $1`;
  const counter = (page: string) => `from counters k left join lateral (${page}) page on true
    where k.tenant = $1 and k.list = '${list}' order by ${orderOf(rows, 'page')}`;
  if (hidden === undefined) {
    const total =
      isTrimmed === true
        ? `k.last + 1 - coalesce((select min(seq) from ${table} where tenant = $1), k.last + 1)`
        : 'k.last';
    return `select ${total} as total, page.*
      ${counter(`${of} and ${alias}.seq <= ${last} and ${alias}.seq > ${last} - $3::bigint`)}`;
  }
  const shown = hidden.shown === undefined ? '' : `and ${hidden.shown}`;
  return `with hidden as materialized (${hidden.numbers})
    select k.last - (select count(*) from hidden) as total, page.*
    ${counter(`${of} ${shown} and ${alias}.seq <= ${last} order by ${orderOf(rows, alias)}
      offset (select count(*) from hidden where seq > ${last}) limit $3`)}`;
}

/**
 * SQL for a page of the rows that match conditions, with the number of all matches.
 * @param where the conditions
 * @param skip the parameter with the offset @param take the parameter with the limit
 * @param max the parameter with the maximum number of matches to count; if absent, all are counted
 */
export function matchingPage(
  rows: ListedRows,
  { where, skip, take, max }: Readonly<Record<'where' | 'skip' | 'take', string>> & { max?: string },
): string {
  const { table, alias = 'r', columns, join = '' } = rows;
  const matching = `from ${table} ${alias} where ${where}`;
  const counted = max === undefined ? matching : `from (select 1 ${matching} limit ${max}) m`;
  const paged = `${matching} order by ${orderOf(rows, alias)} offset ${skip} limit ${take}`;
  // The join comes after the paging, so that it is not computed for the rows before the page.
  const page = join === '' ? paged : `from (select ${alias}.* ${paged}) ${alias} ${join}`;
  return `select t.total, page.* from (select count(*) as total ${counted}) t
    left join lateral (select ${columns} ${page}) page on true
    order by ${orderOf(rows, 'page')}`;
}

/** Appended to a prefix, it sorts after every text with that prefix, in the order of code points (collation "C"). */
const last = '\u{10FFFF}';

/** The conditions of one statement and their values. */
export class Conditions {
  readonly conditions: string[];
  readonly values: unknown[];

  constructor(conditions: readonly string[], values: readonly unknown[]) {
    this.conditions = [...conditions];
    this.values = [...values];
  }

  /** Adds a condition on a value, unless the value is null or undefined. */
  add(condition: (parameter: string) => string, value: unknown): this {
    if (value !== undefined && value !== null) this.conditions.push(condition(this.value(value)));
    return this;
  }

  /** Adds a condition without a value. */
  require(condition: string): this {
    this.conditions.push(condition);
    return this;
  }

  /** Requires one of several words. A single word is compared with `=`, so that an index on the column also yields the order. */
  oneOf(column: string, words: readonly string[] | null): this {
    return words?.length === 1
      ? this.add((p) => `${column} = ${p}`, words[0])
      : this.add((p) => `${column} = any(${p})`, words);
  }

  /** SQL for "begins with this text", in a form that an index of collation "C" supports. */
  begins(column: string, text: string): string {
    return `${column} >= ${this.value(text)} and ${column} < ${this.value(text + last)}`;
  }

  /** Adds a value. @returns its parameter, such as `$3` */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get sql(): string {
    return this.conditions.join(' and ');
  }
}

/** SQL for "a value of this metadata is that text", ignoring case, in a form that an index supports. `$1` is the tenant. */
export const hasValue = (metadata: string, text: string): string =>
  `metadata_terms(tenant, ${metadata}) @> array[md5($1::int || lower(${text}))]`;

/** A statement for a page of the matching rows of a tenant or an account. */
export function matchingPageOf(
  scope: ScopedTenant,
  rows: ListedRows,
  where: Conditions,
  { offset, perPage, isCapped = false }: { offset: number; perPage: number; isCapped?: boolean },
): { text: string; values: unknown[]; scope: ScopedTenant } {
  const skip = where.value(offset);
  const take = where.value(isCapped ? rowsWithin(offset, perPage) : perPage);
  const max = isCapped ? { max: where.value(maxCounted + 1) } : {};
  return {
    text: matchingPage(rows, { where: where.sql, skip, take, ...max }),
    values: where.values,
    scope,
  };
}

/** SQL for rows of which the first few are shown and all are counted. */
export interface WaitingRows {
  /** The name of the prepared statement. */
  readonly name: string;
  readonly columns: string;
  /** `from … where …` */
  readonly matching: string;
  readonly order: string;
}

/** The first few rows, and how many there are in total. */
export interface First<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Reads the first rows and the number of all. @param limits how many rows are returned, and how many counted at most */
export async function firstRows<Row extends object>(
  db: Queryable,
  { name, columns, matching, order }: WaitingRows,
  { values, scope }: { readonly values: readonly unknown[]; readonly scope: Scope },
  limits: { readonly shown: number; readonly countedUpTo: number },
): Promise<First<Row>> {
  const rows = await db.query<Row & { total: number; found: true | null }>({
    name,
    text: `select t.total, r.* from (
             select count(*) as total from (select 1 ${matching} limit ${limits.countedUpTo}) counted) t
           left join lateral (
             select true as found, ${columns} ${matching} order by ${order} limit ${limits.shown}) r on true`,
    values,
    scope,
  });
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.found === true) };
}
