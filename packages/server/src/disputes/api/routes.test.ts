import type { Dispute } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileStore } from '../../files/store.ts';
import { PaymentStore } from '../../payments/store.ts';
import { tenantIn } from '../../vault/test-database.ts';
import { applyDisputeFacts } from '../notifications/apply-facts.ts';
import { createDisputeKit, type DisputeKit, factsOf } from '../test-kit.ts';
import type { DisputeSimulator } from './open-dispute.ts';
import { disputeRoutes, testDisputeRoutes } from './routes.ts';
import { createTestApi } from './test-api.ts';

let kit: DisputeKit;
let app: FastifyInstance;
let shop: string;

/** An amount in minor units that the simulated processor cannot represent. */
const uncarried = 1;

/** A simulator without a processor: it applies the facts of the notification at once. */
const simulator: DisputeSimulator = {
  async open({ accountId }, payment, { state, amount, reason }) {
    if (amount === uncarried) return 'amount_not_carried';
    const facts = factsOf(payment.id, { state, amount, currency: amount === null ? null : 'EUR', reason });
    pending.push(() => applyDisputeFacts(kit.deps, kit.context(accountId), facts));
    return { upstreamId: facts.upstreamId };
  },
  move: async () => false,
};
const pending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = await kit.openAccount();
  const built = createTestApi(kit);
  app = built.app;
  disputeRoutes(built.api, kit.deps);
  testDisputeRoutes(built.api, {
    disputes: kit.deps,
    payments: new PaymentStore(kit.db),
    simulator,
    deliver: async () => {
      for (const apply of pending.splice(0)) await apply();
    },
  });
  await app.ready();
});

afterAll(async () => {
  await app.close();
  await kit.drop();
});

async function call(
  method: 'GET' | 'POST',
  url: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const { key = shop, ...others } = headers;
  const reply = await app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...others,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: reply.statusCode, headers: reply.headers, text: reply.body, body: JSON.parse(reply.body) };
}

const get = (url: string, key = shop) => call('GET', url, undefined, { key });
const post = (url: string, body?: object, headers?: Record<string, string>) =>
  call('POST', url, body, headers);
const disputes = '/api/v1/disputes';

/** Opens a dispute of a new payment through the test helper. */
async function open(options: object = {}, key = shop): Promise<Dispute> {
  kit.clock.move(1000);
  const payment = await kit.pay(kit.context(key));
  const reply = await post(`/api/v1/test_helpers/payments/${payment}/dispute`, options, { key });
  expect(reply.status).toBe(201);
  return reply.body;
}

describe('the test helper', () => {
  it('answers with the dispute as the notification left it', async () => {
    const dispute = await open({ state: 'information_request', amount: 1200, reason: 'duplicate' });
    expect(dispute).toMatchObject({
      object: 'dispute',
      state: 'information_request',
      status: 'action_required',
      amount: 1200,
      reason: 'duplicate',
    });
    expect((await get(`${disputes}/${dispute.id}`)).body).toEqual(dispute);
  });

  it('opens a chargeback of the full amount by default', async () => {
    expect(await open()).toMatchObject({ state: 'chargeback', amount: 4990, currency: 'EUR' });
  });

  it('refuses payments that cannot be disputed', async () => {
    const payment = await kit.pay(kit.context(shop));
    const url = `/api/v1/test_helpers/payments/${payment}/dispute`;
    for (const [options, param] of [
      [{ amount: 4991 }, 'amount'],
      [{ amount: 0 }, 'amount'],
      [{ amount: uncarried }, 'amount'],
      [{ state: 'exploded' }, 'state'],
      [{ reason: 'none' }, 'reason'],
    ] as const) {
      expect((await post(url, options)).body.error).toMatchObject({ code: 'invalid_params', param });
    }
    const unknown = '/api/v1/test_helpers/payments/pay_000000000000000000000000/dispute';
    expect((await post(unknown, {})).body.error.code).toBe('not_found');
    await kit.db.query({
      text: `update payments set status = 'authorized' where id = $1`,
      values: [payment],
      scope: 'everybody',
    });
    expect((await post(url, {})).body.error).toMatchObject({ code: 'invalid_params', param: 'status' });
  });
});

describe('the list', () => {
  it('pages newest first, of its own account only', async () => {
    const own = await kit.openAccount();
    expect((await get(disputes, own)).body).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      total_count: 0,
    });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await open({}, own)).id);
    const first = (await get(`${disputes}?per_page=2`, own)).body;
    expect(first).toMatchObject({ object: 'list', has_more: true, total_count: 3 });
    const second = (await get(`${disputes}?per_page=2&page=2`, own)).body;
    expect(second).toMatchObject({ has_more: false, total_count: 3 });
    expect([...first.data, ...second.data].map(({ id }: Dispute) => id)).toEqual(ids);
    expect((await get(`${disputes}?page=9`, own)).body).toMatchObject({ data: [], total_count: 3 });
  });

  it('filters by status, state, payment and creation time', async () => {
    const own = await kit.openAccount();
    const request = await open({ state: 'information_request' }, own);
    const chargeback = await open({}, own);
    const accepted = await open({}, own);
    await post(`${disputes}/${accepted.id}/accept`, undefined, { key: own });
    const found = async (query: string) => {
      const { body } = await get(`${disputes}?${query}`, own);
      expect(body.total_count).toBe(body.data.length);
      return body.data.map(({ id }: Dispute) => id);
    };
    expect(await found('state=information_request')).toEqual([request.id]);
    expect(await found('status=accepted')).toEqual([accepted.id]);
    expect(await found('state=chargeback&status=action_required')).toEqual([chargeback.id]);
    expect(await found(`payment=${chargeback.payment}`)).toEqual([chargeback.id]);
    expect(await found('payment=pay_000000000000000000000000')).toEqual([]);
    expect(await found(`created_gte=${chargeback.created}`)).toEqual([accepted.id, chargeback.id]);
    expect(await found(`created_lt=${chargeback.created}`)).toEqual([request.id]);
  });

  it.each(['state=open', 'status=exploded', 'created_gte=yesterday', 'page=0', 'per_page=101'])(
    '422 invalid_params for %s',
    async (query) => {
      expect((await get(`${disputes}?${query}`)).body.error).toMatchObject({
        code: 'invalid_params',
        param: query.split('=')[0],
      });
    },
  );
});

describe('accept and defend', () => {
  it('200 with the dispute', async () => {
    const { id } = await open();
    expect(await post(`${disputes}/${id}/accept`)).toMatchObject({
      status: 200,
      body: { id, status: 'accepted' },
    });
    const other = await open();
    const defended = await post(`${disputes}/${other.id}/defend`, {
      statement: 'Delivered',
      evidence: [{ type: 'proof_of_delivery', text: 'Signed for' }],
    });
    expect(defended).toMatchObject({ status: 200, body: { id: other.id, status: 'challenged' } });
  });

  it.each([
    [{ evidence: [] }, 'evidence'],
    [{}, 'evidence'],
    [{ evidence: [{ type: 'receipt' }] }, 'evidence[0]'],
    [{ evidence: [{ type: 'selfie', text: 'x' }] }, 'evidence[0].type'],
    [{ evidence: [{ type: 'other', text: 'x'.repeat(2001) }] }, 'evidence[0].text'],
    [
      {
        evidence: [
          { type: 'other', text: 'x' },
          { type: 'other', file: 'file_1' },
        ],
      },
      'evidence[1].file',
    ],
    [{ statement: '', evidence: [] }, 'statement'],
    [{ statement: 7, evidence: [] }, 'statement'],
    [{ evidence: Array.from({ length: 21 }, () => ({ type: 'other', text: 'x' })) }, 'evidence'],
  ])('422 invalid_params for %j', async (body, param) => {
    const { id } = await open();
    const reply = await post(`${disputes}/${id}/defend`, body);
    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({ code: 'invalid_params', param });
    expect((await get(`${disputes}/${id}`)).body.status).toBe('action_required');
  });

  it('check 404 before the body, and the body before the state', async () => {
    const unknown = `${disputes}/dsp_000000000000000000000000`;
    expect((await post(`${unknown}/defend`, {})).body.error.code).toBe('not_found');
    expect((await post(`${unknown}/accept`)).body.error.code).toBe('not_found');
    const { id } = await open();
    await post(`${disputes}/${id}/accept`);
    expect((await post(`${disputes}/${id}/defend`, {})).body.error.param).toBe('evidence');
    expect((await post(`${disputes}/${id}/defend`, { statement: 'x', evidence: [] })).body.error.param).toBe(
      'status',
    );
  });

  it('replay the stored response under a repeated key, and 409 key_reused for another body', async () => {
    const { id } = await open();
    const body = { statement: 'Delivered', evidence: [] };
    const headers = { 'idempotency-key': `defend-${id}` };
    const asked = kit.processor.asked.length;
    const first = await post(`${disputes}/${id}/defend`, body, headers);
    const again = await post(`${disputes}/${id}/defend`, body, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(kit.processor.asked).toHaveLength(asked + 1);
    const other = await post(`${disputes}/${id}/defend`, { ...body, statement: 'Lost' }, headers);
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'key_reused' } } });
  });

  it('resume the same request where its key has no answer', async () => {
    const { id } = await open();
    const headers = { 'idempotency-key': `accept-${id}` };
    kit.processor.answers = [() => ({ kind: 'unknown', answer: 'provider_error', reason: 'test' })];
    const first = await post(`${disputes}/${id}/accept`, undefined, headers);
    expect(first).toMatchObject({ status: 502, body: { error: { code: 'provider_error' } } });
    expect((await get(`${disputes}/${id}`)).body.status).toBe('action_required');
    const again = await post(`${disputes}/${id}/accept`, undefined, headers);
    expect(again).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    const replay = await post(`${disputes}/${id}/accept`, undefined, headers);
    expect(replay.text).toBe(again.text);
  });

  it('submit files of the own account only', async () => {
    const { id } = await open();
    const other = await kit.openAccount();
    const content = Buffer.from('%PDF-1.7');
    const file = {
      id: 'file_zz0000000000000000000001',
      name: 'a.pdf',
      content_type: 'application/pdf',
      size: content.length,
      sha256: '00',
      created_at: kit.clock.now(),
    } as const;
    const files = new FileStore(kit.db);
    await files.insert(tenantIn(other), { ...file, tenant: tenantIn(other).tenant }, content, () => {});
    const body = { evidence: [{ type: 'receipt', file: file.id }] };
    expect((await post(`${disputes}/${id}/defend`, body)).body.error.param).toBe('evidence[0].file');
    await files.insert(tenantIn(shop), { ...file, tenant: tenantIn(shop).tenant }, content, () => {});
    expect((await post(`${disputes}/${id}/defend`, body)).body.status).toBe('challenged');
  });
});
