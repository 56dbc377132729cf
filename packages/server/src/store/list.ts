import type { Queryable } from './database.ts';
import type { Scope, ScopedTenant } from './scope.ts';

/**
 * Matches of a filter are counted, and paged through, up to here: so a page costs the same however many there are. Lists
 * without a filter are numbered densely and need no bound (docs/architecture.md, "Lists").
 */
export const maxCounted = 10_000;

/** What `count(*)` of at most `maxCounted + 1` matches says. */
export const capped = (counted: number): { readonly total: number; readonly capped: boolean } => ({
  total: Math.min(counted, maxCounted),
  capped: counted > maxCounted,
});

/** How many rows of a page may be shown before the bound. */
export const rowsWithin = (offset: number, perPage: number): number =>
  Math.max(0, Math.min(perPage, maxCounted - offset));

/** The rows of a list: those of a table, newest first. */
export interface ListedRows {
  readonly table: string;
  /** What the table is called in the columns, the join and the conditions; `r` where they do not say. */
  readonly alias?: string;
  /** SQL for the columns, among them `id` and those of the order. */
  readonly columns: string;
  /** Columns of the table that give the order, each with its direction; `seq desc` where nothing else is said. */
  readonly order?: readonly string[];
  /** SQL for what is joined to each shown row. */
  readonly join?: string;
}

/** A list of which every row has a dense number, `seq` (docs/architecture.md, "Lists"). */
export interface NumberedRows extends ListedRows {
  /** The list's name among the counters. */
  readonly list: string;
  /**
   * The few numbers that are not shown: SQL that selects them as `seq`, with `$1` as the tenant, and the condition of all
   * other rows where those that are hidden stand in the table.
   */
  readonly hidden?: { readonly numbers: string; readonly shown?: string };
  /** The oldest rows are dropped in time: the count is a difference. */
  readonly isTrimmed?: boolean;
}

/** What each row of such a statement has: the number of all. */
export interface Counted {
  readonly total: number;
}
/** What such a statement gives: the number of all rows with each of the page, or alone where the page is empty. */
export type ListedRow<Row> = (Counted & Row) | (Counted & { readonly id: null });

const isOfPage = <Row extends { readonly id: string }>(row: ListedRow<Row>): row is Counted & Row =>
  row.id !== null;

/** The rows of a page, and the number of all, which each row still has: to copy the others takes as long as to read them. */
export const foundRows = <Row extends { readonly id: string }>(
  rows: readonly ListedRow<Row>[],
): { rows: (Counted & Row)[]; total: number } => ({
  rows: rows.filter(isOfPage),
  total: rows[0]?.total ?? 0,
});

/** SQL for the order of a list. @param of the table or alias whose columns give it */
export const orderOf = ({ order = ['seq desc'] }: ListedRows, of: string) =>
  order.map((column) => `${of}.${column}`).join(', ');

/**
 * SQL for a page of all rows of a tenant, whose count is the greatest number and whose page is a range, at any depth.
 * Hidden rows are counted exactly, and the page is moved by them. `$1` is the tenant, `$2` the offset, `$3` the limit.
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
 * SQL for a page of the rows that match conditions, with the number of all that do.
 * @param where conditions @param skip and @param take parameters @param max parameter: so many are counted at most
 */
export function matchingPage(
  rows: ListedRows,
  { where, skip, take, max }: Readonly<Record<'where' | 'skip' | 'take', string>> & { max?: string },
): string {
  const { table, alias = 'r', columns, join = '' } = rows;
  const matching = `from ${table} ${alias} where ${where}`;
  const counted = max === undefined ? matching : `from (select 1 ${matching} limit ${max}) m`;
  const paged = `${matching} order by ${orderOf(rows, alias)} offset ${skip} limit ${take}`;
  // What is joined is not read for the rows before the page.
  const page = join === '' ? paged : `from (select ${alias}.* ${paged}) ${alias} ${join}`;
  return `select t.total, page.* from (select count(*) as total ${counted}) t
    left join lateral (select ${columns} ${page}) page on true
    order by ${orderOf(rows, 'page')}`;
}

/** Greater than every text that begins like the one before it, in the order of code points (collation "C"). */
const last = '\u{10FFFF}';

/** The conditions of one statement and their values. */
export class Conditions {
  readonly conditions: string[];
  readonly values: unknown[];

  constructor(conditions: readonly string[], values: readonly unknown[]) {
    this.conditions = [...conditions];
    this.values = [...values];
  }

  /** Adds a condition on a value, unless there is none. */
  add(condition: (parameter: string) => string, value: unknown): this {
    if (value !== undefined && value !== null) this.conditions.push(condition(this.value(value)));
    return this;
  }

  /** Adds a condition as it is. */
  require(condition: string): this {
    this.conditions.push(condition);
    return this;
  }

  /** One of several words; one alone is compared by `=`, so that an index on it gives the order of what follows. */
  oneOf(column: string, words: readonly string[] | null): this {
    return words?.length === 1
      ? this.add((p) => `${column} = ${p}`, words[0])
      : this.add((p) => `${column} = any(${p})`, words);
  }

  /** SQL for "begins with this text", which an index of collation "C" answers. */
  begins(column: string, text: string): string {
    return `${column} >= ${this.value(text)} and ${column} < ${this.value(text + last)}`;
  }

  /** @returns the value's parameter */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get sql(): string {
    return this.conditions.join(' and ');
  }
}

/** SQL for "a value of this metadata is that text", in any case, which an index answers. `$1` is the tenant. */
export const hasValue = (metadata: string, text: string): string =>
  `metadata_terms(tenant, ${metadata}) @> array[md5($1::int || lower(${text}))]`;

/** A page of the rows of a tenant or an account that match, as a statement. */
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

/** Rows of which the first few are shown and the others counted, as SQL. */
export interface WaitingRows {
  /** Of the prepared statement. */
  readonly name: string;
  readonly columns: string;
  /** `from … where …` */
  readonly matching: string;
  readonly order: string;
}

/** The first few of what was found, and how many there are. */
export interface First<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** The first of some rows with the number of all. @param limits how many are shown, and counted at most */
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
