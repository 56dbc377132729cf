import { bigint, listOf, type RowOf, without } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import {
  Conditions,
  capped,
  foundRows,
  type ListedRow,
  matchingPageOf,
  type NumberedRows,
  numberedPage,
} from '../store/list.ts';
import { tenantsWithCounters } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import type { RequestWarning } from './answered.ts';
import { timeOf } from './entry.ts';
import { type LogEntry, logColumns } from './row.ts';

const lineColumns = {
  ...without(logColumns, 'request_body', 'answer_body', 'warnings'),
  seq: bigint,
} as const;

/** A row of a list: all columns except the bodies and the warnings. */
export type LogLine = RowOf<typeof lineColumns>;

export type LogRow = LogEntry & { readonly seq: number };

const columns = listOf(lineColumns);
const rowColumns = `${listOf(logColumns)}, seq`;

export interface LogFilter {
  /** 2 for 2xx and so on. */
  readonly statusClass?: number | undefined;
  readonly method?: string | undefined;
  /** Pattern of the route. */
  readonly route?: string | undefined;
  readonly code?: string | undefined;
  readonly keyId?: string | undefined;
  /** The `Service-Request-Id`. */
  readonly id?: string | undefined;
  readonly paymentId?: string | undefined;
  /** Real time, inclusive. */
  readonly from?: Date | undefined;
  /** Real time, exclusive. */
  readonly to?: Date | undefined;
}

export interface LogPage {
  readonly rows: LogLine[];
  readonly total: number;
  /** Whether there are more requests than `total`, because counting stops at a limit. */
  readonly capped: boolean;
}

/** One page of a tenant's requests, newest first. @param page from 1 */
export async function listRequests(
  db: Queryable,
  tenant: Tenant,
  filter: LogFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<LogPage> {
  const offset = (page - 1) * perPage;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return isFiltered
    ? filteredPage(db, tenant, filter, offset, perPage)
    : plainPage(db, tenant, offset, perPage);
}

const listed: NumberedRows = { list: 'request_logs', table: 'request_logs', columns, isTrimmed: true };
const listStatement = { name: 'list_request_logs', generic: true, text: numberedPage(listed) };

async function plainPage(db: Queryable, tenant: Tenant, offset: number, perPage: number): Promise<LogPage> {
  const rows = await db.query<ListedRow<LogLine>>({
    values: [tenant.tenant, offset, perPage],
    scope: tenant,
    ...listStatement,
  });
  return { ...foundRows(rows), capped: false };
}

async function filteredPage(
  db: Queryable,
  tenant: Tenant,
  filter: LogFilter,
  offset: number,
  perPage: number,
): Promise<LogPage> {
  const where = new Conditions(['tenant = $1'], [tenant.tenant]);
  where.add((p) => `status_class = ${p}`, filter.statusClass);
  // Errors have a partial index, which needs this condition.
  if ((filter.statusClass ?? 0) >= 4) where.conditions.push('status_class >= 4');
  where.add((p) => `method = ${p}`, filter.method);
  where.add((p) => `route = ${p}`, filter.route);
  where.add((p) => `code = ${p}`, filter.code);
  where.add((p) => `key_id = ${p}`, filter.keyId);
  where.add((p) => `id = ${p}`, filter.id);
  where.add((p) => `payment_id = ${p}`, filter.paymentId);
  where.add((p) => `at >= ${p}`, filter.from);
  where.add((p) => `at < ${p}`, filter.to);
  const place = { offset, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<LogLine>>(matchingPageOf(tenant, listed, where, place)),
  );
  return { rows, ...capped(total) };
}

/** Parses the warnings of a request. */
export const warningsOf = ({ warnings }: LogRow): RequestWarning[] =>
  warnings === null ? [] : (JSON.parse(warnings) as RequestWarning[]);

/** Finds one request, with its bodies. */
export async function findRequest(db: Queryable, tenant: Tenant, id: string): Promise<LogRow | undefined> {
  if (!/^req_[a-z0-9]{24}$/.test(id)) return undefined;
  const [row] = await db.query<LogRow>({
    name: 'find_request_log',
    text: `select ${rowColumns} from request_logs where tenant = $1 and id = $2 and at = $3`,
    values: [tenant.tenant, id, timeOf(id)],
    scope: tenant,
  });
  return row;
}

/**
 * Finds the request that a `key_reused` refers to: the latest earlier one with the same idempotency key that is no replay and was
 * not refused (status below 300, or 500 and above). It is not always the first use of the key, because idempotency records expire
 * after 24 hours of account time.
 */
export async function findFirstUse(
  db: Queryable,
  tenant: Tenant,
  { idempotency_hash: hash, seq }: Pick<LogRow, 'idempotency_hash' | 'seq'>,
): Promise<LogRow | undefined> {
  if (hash === null) return undefined;
  const [row] = await db.query<LogRow>({
    name: 'find_first_use_of_key',
    text: `select ${rowColumns} from request_logs
           where tenant = $1 and idempotency_hash = $2 and seq < $3 and not replayed
             and (status < 300 or status >= 500)
           order by seq desc limit 1`,
    values: [tenant.tenant, hash, seq],
    scope: tenant,
  });
  return row;
}

/** The current end of a tenant's log: the number of its last row. */
export interface LogPlace extends Tenant {
  readonly last: number;
}

/** Reads the current end of each log. @param tenants null for all tenants */
export async function placesInLogs(db: Queryable, tenants: readonly Tenant[] | null): Promise<LogPlace[]> {
  return db.query<LogPlace>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode, k.last
           from ${tenantsWithCounters}
           where k.list = 'request_logs' and ($1::int[] is null or k.tenant = any ($1))`,
    values: [tenants?.map(({ tenant }) => tenant) ?? null],
    scope: tenants ?? 'everybody',
  });
}

/** The requests of one log in a range of row numbers, in order. @param range `from` is exclusive, `to` inclusive */
export async function requestsBetween(
  db: Queryable,
  tenant: Tenant,
  { from, to }: { readonly from: number; readonly to: number },
  filter: Pick<LogFilter, 'statusClass'>,
): Promise<LogLine[]> {
  return db.query<LogLine>({
    text: `select ${columns} from request_logs where tenant = $1 and seq > $2 and seq <= $3
             and ($4::int is null or status_class = $4) order by seq`,
    values: [tenant.tenant, from, to, filter.statusClass ?? null],
    scope: tenant,
  });
}

/** Finds a request of any tenant by its id alone, for the operator. */
export async function findRequestOfAnyTenant(
  db: Queryable,
  id: string,
): Promise<(LogRow & Tenant) | undefined> {
  if (!/^req_[a-z0-9]{24}$/.test(id)) return undefined;
  const [row] = await db.query<LogRow & Tenant>({
    text: `select r.*, t.account_id as "accountId", t.livemode from tenants t
           join lateral (
             select ${rowColumns} from request_logs
             where tenant = t.tenant and id = $1 and at = $2) r on true`,
    values: [id, timeOf(id)],
    scope: 'everybody',
  });
  return row;
}

/** SQL of a range of the log by row number, `first` exclusive and `last` inclusive. `$1` is the tenant. */
export const requestsNumbered = (first: string, last: string): string =>
  `select * from request_logs where tenant = $1 and seq > ${first} and seq <= ${last}`;

/** SQL of the log since a time. `$1` is the tenant. */
export const requestsSince = (time: string): string =>
  `select * from request_logs where tenant = $1 and at >= ${time}`;
