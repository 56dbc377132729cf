import { randomBytes } from 'node:crypto';
import { merchantApi } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { createTestDatabase, findTenant } from '../vault/test-database.ts';
import { hold } from './answered.ts';
import { toEntry } from './entry.ts';
import { explainReuse } from './explain-reuse.ts';
import { keepRequestDays } from './keep-days.ts';
import { findRequest, listRequests, placesInLogs, requestsBetween } from './reads.ts';
import type { LogEntry } from './row.ts';
import { insertEntries } from './store.ts';

const start = Date.parse('2026-11-20T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;
const page = { page: 1, perPage: 50 };

let db: Database;
let drop: () => Promise<void>;
let openTenant: () => Promise<Tenant>;
let tenant: Tenant;

beforeAll(async () => {
  const database = await createTestDatabase();
  ({ db } = database);
  drop = () => database.drop();
  openTenant = () => database.openTenant();
  await keepRequestDays(db, new Date(start));
});
afterAll(() => drop());
beforeEach(async () => {
  tenant = await openTenant();
});

const inLiveMode = () => findTenant(db, tenant.accountId, true);

interface Options extends Partial<LogEntry> {
  /** Minutes after the start. */
  readonly minute?: number;
  readonly body?: object;
  readonly key?: string;
}

const answeredAt = (minute: number) => ({
  id: newId('req', new Date(start + minute * minuteMs), randomBytes),
  operation: merchantApi.createPayment,
  ...tenant,
  keyId: 'key_1',
  url: '/api/v1/payments',
  status: 201,
  code: null,
  durationMs: 5,
  ip: '203.0.113.7',
  idempotencyKey: null,
  replayed: false,
  body: null,
  answer: '{}',
  warnings: [],
});

/** Writes requests in the order given. @returns their ids */
async function log(...options: Options[]): Promise<string[]> {
  const entries = options.map(({ minute = 0, body, key = null, ...changes }) => {
    const answered = {
      ...answeredAt(minute),
      idempotencyKey: key,
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    };
    return { ...toEntry(hold(answered), (text) => `hash of ${text}`), ...changes };
  });
  await insertEntries(db, entries);
  return entries.map(({ id }) => id);
}

const listed = async (filter: Parameters<typeof listRequests>[2] = {}, place = page) => {
  const { rows, ...count } = await listRequests(db, tenant, filter, place);
  return { ids: rows.map(({ id }) => id), ...count };
};

describe('the list of requests', () => {
  it('is empty without requests', async () => {
    expect(await listed()).toEqual({ ids: [], total: 0, capped: false });
  });

  it('pages newest first, of this account and mode only', async () => {
    const ids = (await log(...Array.from({ length: 5 }, (_none, minute) => ({ minute })))).reverse();
    await log({ tenant: (await inLiveMode()).tenant });
    expect(await listed({}, { page: 1, perPage: 2 })).toEqual({
      ids: ids.slice(0, 2),
      total: 5,
      capped: false,
    });
    expect(await listed({}, { page: 3, perPage: 2 })).toEqual({ ids: ids.slice(4), total: 5, capped: false });
    expect(await listed({}, { page: 4, perPage: 2 })).toEqual({ ids: [], total: 5, capped: false });
  });

  it('filters by status, method, path, code, key, request, payment and time', async () => {
    const paymentId = 'pay_mwr50nz1pr8vneg1t8zjwt70';
    const [paid = '', refused = '', broken = '', read = ''] = await log(
      { payment_id: paymentId },
      { status: 409, code: 'key_reused', key_id: 'key_2', minute: 1 },
      { status: 503, code: 'provider_unavailable', minute: 2 },
      { method: 'GET', route: '/api/v1/payments/:id', status: 200, minute: 3 },
    );
    const ids = async (filter: Parameters<typeof listRequests>[2]) => (await listed(filter)).ids;
    expect(await ids({ statusClass: 2 })).toEqual([read, paid]);
    expect(await ids({ statusClass: 4 })).toEqual([refused]);
    expect(await ids({ statusClass: 5 })).toEqual([broken]);
    expect(await ids({ method: 'GET' })).toEqual([read]);
    expect(await ids({ route: '/api/v1/payments' })).toEqual([broken, refused, paid]);
    expect(await ids({ code: 'key_reused' })).toEqual([refused]);
    expect(await ids({ keyId: 'key_2' })).toEqual([refused]);
    expect(await ids({ id: read })).toEqual([read]);
    expect(await ids({ paymentId })).toEqual([paid]);
    const time = (minute: number) => new Date(start + minute * minuteMs);
    expect(await ids({ from: time(1), to: time(3) })).toEqual([broken, refused]);
    expect(await ids({ code: 'key_reused', method: 'GET' })).toEqual([]);
  });

  it('counts matches up to a limit', async () => {
    await db.query({
      text: `insert into request_logs (tenant, seq, id, at, method, route, path, status, duration_ms, key_id,
               ip, replayed, request_bytes, answer_bytes)
             select $1, n, 'req_' || n, $2, 'GET', '/', '/', 200, 1, 'key_1', '', false, 0, 0
             from generate_series(1, 10050) as n`,
      values: [tenant.tenant, new Date(start)],
      scope: tenant,
    });
    expect(await listed({ method: 'GET' }, { page: 200, perPage: 50 })).toMatchObject({
      total: 10_000,
      capped: true,
    });
    expect((await listed({ method: 'GET' }, { page: 200, perPage: 50 })).ids).toHaveLength(50);
    expect((await listed({ method: 'GET' }, { page: 201, perPage: 50 })).ids).toEqual([]);
  });
});

describe('one request', () => {
  it('has its bodies, and is of this account only', async () => {
    const [id = ''] = await log({ body: { amount: 7 } });
    expect(await findRequest(db, tenant, id)).toMatchObject({
      id,
      request_body: '{"amount":7}',
      answer_body: '{}',
    });
    expect(await findRequest(db, await inLiveMode(), id)).toBeUndefined();
    expect(await findRequest(db, await openTenant(), id)).toBeUndefined();
    expect(await findRequest(db, tenant, 'req_x')).toBeUndefined();
  });
});

describe('a reused idempotency key', () => {
  const explained = async (id: string) => {
    const row = await findRequest(db, tenant, id);
    return row && explainReuse(db, tenant, row);
  };
  const reused = { key: 'order-1', status: 409, code: 'key_reused' };

  it('is compared field by field with the first request under it', async () => {
    const card = { type: 'card', number: '4111111111111111', cvc: '737' };
    const [first = '', , , second = ''] = await log(
      { key: 'order-1', body: { amount: 100, currency: 'EUR', payment_method: card } },
      { key: 'order-1', body: { amount: 100 }, replayed: true },
      { ...reused, body: { amount: 5 } },
      { ...reused, body: { amount: 200, payment_method: card, reference: 'a' } },
    );
    expect(await explained(second)).toEqual({
      first: { id: first, at: new Date(start) },
      differences: [
        { path: 'amount', first: '100', now: '200' },
        { path: 'currency', first: '"EUR"' },
        { path: 'reference', now: '"a"' },
      ],
      unknown: ['payment_method.number', 'payment_method.cvc'],
    });
  });

  it('is compared with the attempt in doubt, not with a refused one', async () => {
    const [open = '', , again = ''] = await log(
      { key: 'order-1', status: 503, code: 'provider_unavailable', body: { amount: 1 } },
      { key: 'order-1', status: 422, code: 'invalid_params', body: { amount: 2 } },
      { ...reused, body: { amount: 3 } },
    );
    expect((await explained(again))?.first?.id).toBe(open);
  });

  it('says so where the log has no first request, and nothing about other refusals', async () => {
    const [alone = '', other = ''] = await log(
      { ...reused, body: {} },
      { status: 422, code: 'invalid_params' },
    );
    expect(await explained(alone)).toEqual({ first: null, differences: [], unknown: [] });
    expect(await explained(other)).toBeNull();
  });
});

it('of a batch with an entry that the database refuses every other one is written', async () => {
  const entries = Array.from({ length: 9 }, (_, n) => ({
    ...toEntry(hold(answeredAt(n)), (text) => text),
    ...(n === 4 ? { path: 'half of a character: \ud83d' } : {}),
  }));
  expect(await insertEntries(db, entries)).toBe(8);
  const { ids } = await listed();
  expect(ids).toEqual(entries.flatMap(({ id }, n) => (n === 4 ? [] : [id])).toReversed());
  await expect(insertEntries(db, entries.slice(4, 5))).rejects.toThrow();
});

describe('following the log', () => {
  it('resumes at its cursor', async () => {
    await log({}, { status: 404, code: 'not_found' });
    const [place] = await placesInLogs(db, [tenant]);
    expect(place).toEqual({ ...tenant, last: 2 });
    const [next] = await log({ status: 404, code: 'not_found' });
    const lines = await requestsBetween(db, tenant, { from: 2, to: 3 }, {});
    expect(lines.map(({ id }) => id)).toEqual([next]);
    const refused = await requestsBetween(db, tenant, { from: 0, to: 3 }, { statusClass: 4 });
    expect(refused).toHaveLength(2);
  });
});

describe('retention of the log', () => {
  it('drops expired days, and counts only what is left', async () => {
    await log({}, {});
    const later = new Date(start + 20 * dayMs);
    await keepRequestDays(db, later);
    const [kept = ''] = await log({ minute: (20 * dayMs) / minuteMs });
    expect((await listed()).total).toBe(3);
    await keepRequestDays(db, new Date(start + 32 * dayMs));
    expect(await listed()).toEqual({ ids: [kept], total: 1, capped: false });
  });
});
