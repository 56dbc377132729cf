import { randomBytes } from 'node:crypto';
import { merchantApi } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../lib/ids.ts';
import { type AnsweredRequest, hold } from '../../request-logs/answered.ts';
import { toEntry } from '../../request-logs/entry.ts';
import { insertEntries } from '../../request-logs/store.ts';
import { findTenant } from '../../vault/test-database.ts';
import { createDevelopersKit, type DevelopersKit } from './test-kit.ts';

let kit: DevelopersKit;
let account: string;
let developer: Awaited<ReturnType<DevelopersKit['signIn']>>;
let key: { id: string; name: string; hint: string };
beforeAll(async () => {
  kit = await createDevelopersKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
  developer = await kit.signIn(account, 'developer');
  const path = `/accounts/${account}/api_keys`;
  const { body } = await developer.call('POST', path, { body: { name: 'Shop' } });
  const { id, name, hint } = body.key;
  key = { id, name, hint };
});
afterAll(() => kit.drop());

const logs = () => `/accounts/${account}/request_logs`;
const get = async (path: string) => (await developer.call('GET', path)).body;

async function log(changes: Partial<AnsweredRequest> = {}, body: object = { amount: 1 }): Promise<string> {
  const id = newId('req', kit.clock.now(), randomBytes);
  const answered = {
    id,
    operation: merchantApi.createPayment,
    ...(await findTenant(kit.db, account, changes.livemode)),
    keyId: key.id,
    url: '/api/v1/payments',
    status: 201,
    code: null,
    durationMs: 7,
    ip: '203.0.113.7',
    idempotencyKey: 'order-1',
    replayed: false,
    body: Buffer.from(JSON.stringify(body)),
    answer: '{"object":"payment"}',
    warnings: [],
    ...changes,
  };
  await insertEntries(kit.db, [toEntry(hold(answered), (text) => `hash of ${text}`)]);
  return id;
}

describe('the log of requests', () => {
  it('lists requests with the key that they used', async () => {
    const id = await log();
    await log({ livemode: true });
    const { data, ...page } = await get(logs());
    expect(page).toEqual({ object: 'list', has_more: false, total_count: 1, capped: false });
    expect(data).toEqual([
      {
        id,
        at: '2026-11-20T12:00:00Z',
        method: 'POST',
        path: '/api/v1/payments',
        query: null,
        route: '/api/v1/payments',
        status: 201,
        code: null,
        duration_ms: 7,
        key: { ...key, permissions: null },
        ip: '203.0.113.7',
        replayed: false,
        idempotency_hint: 'er-1',
        payment: null,
        refund: null,
        customer: null,
      },
    ]);
  });

  it('finds requests by what the filters offer', async () => {
    await log();
    const refused = await log({ status: 422, code: 'invalid_params' });
    const found = async (query: string) =>
      (await get(`${logs()}?${query}`)).data.map(({ id }: { id: string }) => id);
    for (const query of [
      'status=4xx',
      'code=invalid_params',
      `search=${refused}`,
      'status=4xx&method=POST',
    ]) {
      expect(await found(query), query).toEqual([refused]);
    }
    expect(await found(`key=${key.id}&route=${encodeURIComponent('/api/v1/payments')}`)).toHaveLength(2);
    expect(await found('from=2026-11-21T00:00:00Z')).toEqual([]);
    expect(await found('search=anything')).toEqual([]);
    const filters = await get(`/accounts/${account}/developer_filters`);
    expect(filters.routes).toContain('/api/v1/payments/:id/capture');
    expect(filters.codes).toContain('key_reused');
    expect(filters.event_types).toContain('payment.succeeded');
    expect((await developer.call('GET', `${logs()}?status=9xx`)).status).toBe(422);
  });

  it('shows one with its bodies', async () => {
    const id = await log();
    expect(await get(`${logs()}/${id}`)).toMatchObject({
      request: { id },
      body: { text: '{"amount":1}', note: null, bytes: 12 },
      answer: { text: '{"object":"payment"}', note: null },
      reuse: null,
    });
    expect((await developer.call('GET', `${logs()}/req_x`)).status).toBe(404);
  });

  it('explains a reused key', async () => {
    const first = await log();
    const second = await log({ status: 409, code: 'key_reused' }, { amount: 2, currency: 'EUR' });
    expect((await get(`${logs()}/${second}`)).reuse).toEqual({
      first: { id: first, at: '2026-11-20T12:00:00Z' },
      differences: [
        { path: 'amount', first: '1', now: '2' },
        { path: 'currency', first: null, now: '"EUR"' },
      ],
      unknown: [],
    });
  });

  it('is not for support and viewers, and not for another account', async () => {
    const id = await log();
    for (const role of ['support', 'viewer'] as const) {
      const { call } = await kit.signIn(account, role);
      expect((await call('GET', logs())).status).toBe(403);
      expect((await call('GET', `${logs()}/${id}`)).status).toBe(403);
    }
    const other = await kit.openAccount();
    const stranger = await kit.signIn(other, 'owner');
    expect((await stranger.call('GET', `/accounts/${other}/request_logs/${id}`)).status).toBe(404);
    expect((await stranger.call('GET', logs())).status).toBe(404);
  });
});
