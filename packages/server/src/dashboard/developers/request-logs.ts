import { ApiError, errorCatalogue, eventTypes, merchantApi } from '@till/contract';
import { dashboardApi, type KeptBody, type KeyReuse, type RequestLine } from '@till/contract/dashboard';
import { type ApiKeyRow, listApiKeys } from '../../api-keys/api-keys.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { explainReuse, type Reuse } from '../../request-logs/explain-reuse.ts';
import {
  findRequest,
  type LogLine,
  type LogRow,
  listRequests,
  warningsOf,
} from '../../request-logs/reads.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardApi, Staff } from '../api.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { cappedPage, pageOf } from './pages.ts';
import { readRange } from './times.ts';

type Keys = ReadonlyMap<string, Pick<ApiKeyRow, 'name' | 'hint' | 'restriction'>>;

async function keysOf(db: Queryable, { accountId }: Staff): Promise<Keys> {
  return new Map((await listApiKeys(db, accountId)).map((key) => [key.id, key]));
}

const presentLine = (row: LogLine, keys: Keys): RequestLine => ({
  id: row.id,
  at: isoSeconds(row.at),
  method: row.method,
  path: row.path,
  query: row.query,
  route: row.route,
  status: row.status,
  code: row.code,
  duration_ms: row.duration_ms,
  key: {
    id: row.key_id,
    name: keys.get(row.key_id)?.name ?? null,
    hint: keys.get(row.key_id)?.hint ?? null,
    permissions: keys.get(row.key_id)?.restriction?.permissions ?? null,
  },
  ip: row.ip,
  replayed: row.replayed,
  idempotency_hint: row.idempotency_hint,
  payment: row.payment_id,
  refund: row.refund_id,
  customer: row.customer_id,
});

const requestBody = (row: LogRow): KeptBody => ({
  text: row.request_body,
  note: row.request_note,
  bytes: row.request_bytes,
});

const answerBody = (row: LogRow): KeptBody => ({
  text: row.answer_body,
  note: row.answer_note,
  bytes: row.answer_bytes,
});

const presentReuse = ({ first, differences, unknown }: Reuse): KeyReuse => ({
  first: first && { id: first.id, at: isoSeconds(first.at) },
  differences: differences.map(({ path, first: before = null, now = null }) => ({
    path,
    first: before,
    now,
  })),
  unknown,
});

const operations = Object.values(merchantApi);
const routes = [...new Set(operations.map(({ path }) => path))].sort();
const codes = Object.keys(errorCatalogue).sort();

/** The operations on the requests that the account's keys sent in the last 30 days. */
export function requestLogRoutes(api: DashboardApi, { reads }: DeveloperDependencies): void {
  api.mount(dashboardApi.listRequestLogs, async ({ staff, query }) => {
    const place = pageOf(query);
    const filter = {
      ...readRange(query),
      statusClass: query.status === undefined ? undefined : Number(query.status[0]),
      method: query.method,
      route: query.route,
      code: query.code,
      keyId: query.key,
      id: query.search,
      paymentId: query.payment,
    };
    const [{ rows, ...count }, keys] = await Promise.all([
      listRequests(reads, staff, filter, place),
      keysOf(reads, staff),
    ]);
    const lines = rows.map((row) => presentLine(row, keys));
    return { status: 200, body: cappedPage(lines, count, place) };
  });
  api.mount(dashboardApi.retrieveRequestLog, async ({ staff, params }) => {
    const row = await findRequest(reads, staff, params.id ?? '');
    if (row === undefined) {
      throw new ApiError('not_found', 'There is no request with this id in the log of the last 30 days.');
    }
    const [reuse, keys] = await Promise.all([explainReuse(reads, staff, row), keysOf(reads, staff)]);
    return {
      status: 200,
      body: {
        request: presentLine(row, keys),
        body: requestBody(row),
        answer: answerBody(row),
        warnings: warningsOf(row),
        reuse: reuse && presentReuse(reuse),
      },
    };
  });
  api.mount(dashboardApi.retrieveDeveloperFilters, async () => ({
    status: 200,
    body: { routes, codes, event_types: [...eventTypes] },
  }));
}
