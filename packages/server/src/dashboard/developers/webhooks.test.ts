import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answering, createDevelopersKit, type DevelopersKit } from './test-kit.ts';

let kit: DevelopersKit;
let account: string;
let developer: Awaited<ReturnType<DevelopersKit['signIn']>>;
beforeAll(async () => {
  kit = await createDevelopersKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
  developer = await kit.signIn(account, 'developer');
});
afterAll(() => kit.drop());

const endpoints = () => `/accounts/${account}/webhook_endpoints`;

async function add(url = 'https://shop.example/hooks') {
  const { status, body } = await post(endpoints(), { url, additional_events: false });
  expect(status).toBe(201);
  return { ...body, path: `${endpoints()}/${body.endpoint.id}` };
}

const get = async (path: string) => (await developer.call('GET', path)).body;

/** Moves the clock before each change, since audit entries are sorted by time and no two may have the same. */
async function change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
  kit.clock.move(1000);
  return developer.call(method, path, body === undefined ? {} : { body });
}
const post = (path: string, body?: object) => change('POST', path, body);

describe('a webhook endpoint', () => {
  it('is added with its secret, shown once, and says how it does', async () => {
    const { endpoint, secret, path } = await add();
    expect(secret).toMatch(/^whsec_/);
    const unused = { attempted: 0, succeeded: 0, pending: 0, retrying: 0, oldest_pending_at: null };
    expect(await get(path)).toEqual({ ...endpoint, health: unused });
    await kit.writeEvents(account, { count: 3 });
    await kit.attempt(account, answering(200));
    kit.clock.move(1000);
    await kit.writeEvents(account, { count: 1 });
    await kit.attempt(account, answering(500), [60_000]);
    const { data } = await get(endpoints());
    expect(data).toEqual([
      {
        ...endpoint,
        failing_since: expect.any(String),
        health: {
          attempted: 4,
          succeeded: 3,
          pending: 1,
          retrying: 1,
          oldest_pending_at: expect.any(String),
        },
      },
    ]);
    expect(JSON.stringify(data)).not.toContain(secret);
  });

  it('is one of 16 at most: 422 invalid_params with the number beyond', async () => {
    for (let added = 0; added < 16; added += 1) await add();
    const { status, body } = await post(endpoints(), {
      url: 'https://shop.example',
      additional_events: false,
    });
    expect([status, body.error.code, body.error.message]).toEqual([
      422,
      'invalid_params',
      'An account has at most 16 webhook endpoints. Delete one first.',
    ]);
    expect((await get(endpoints())).data).toHaveLength(16);
  });

  it('is not added with an address that is none', async () => {
    for (const url of ['ftp://shop.example', 'shop.example', 'https://user:pass@shop.example', 'https://']) {
      const { status, body } = await post(endpoints(), { url, additional_events: false });
      expect([status, body.error.code, body.error.param], url).toEqual([422, 'invalid_params', 'url']);
    }
    expect((await get(endpoints())).data).toEqual([]);
  });

  it('is changed, paused, resumed and deleted, each with its entry in the audit log', async () => {
    const { path, endpoint } = await add();
    const changed = await change('PATCH', path, { additional_events: true });
    expect(changed.body).toMatchObject({ additional_events: true, url: endpoint.url });
    expect((await post(`${path}/pause`)).body).toMatchObject({ status: 'paused', paused_reason: 'merchant' });
    const refused = await post(`${path}/test`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect((await post(`${path}/resume`)).body).toMatchObject({ status: 'active', paused_reason: null });
    expect((await change('DELETE', path)).body).toEqual({ id: endpoint.id, deleted: true });
    expect((await developer.call('GET', path)).status).toBe(404);
    expect(await kit.audit(account)).toMatchObject([
      { action: 'webhook_endpoint.created', object_id: endpoint.id, after: { url: endpoint.url } },
      {
        action: 'webhook_endpoint.updated',
        before: { additional_events: false },
        after: { additional_events: true },
      },
      { action: 'webhook_endpoint.paused', object_id: endpoint.id },
      { action: 'webhook_endpoint.resumed', object_id: endpoint.id },
      { action: 'webhook_endpoint.deleted', before: { url: endpoint.url } },
    ]);
  });

  it('gets a new secret, which is shown once', async () => {
    const { path, secret } = await add();
    const { status, body } = await post(`${path}/roll`);
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    expect(JSON.stringify(await kit.audit(account))).not.toContain('whsec_');
  });

  it('is sent a test event', async () => {
    const { path } = await add();
    const { status, body } = await post(`${path}/test`);
    expect(status).toBe(201);
    await kit.attempt(account, answering(204));
    const { data } = await get(`${path}/deliveries`);
    expect(data).toMatchObject([
      { id: body.delivery, event: body.event, event_type: 'endpoint.test', state: 'succeeded' },
    ]);
    expect(kit.woken).toContain(account);
  });

  it('of another account is not there', async () => {
    const { endpoint } = await add();
    const other = await kit.openAccount();
    const stranger = await kit.signIn(other, 'owner');
    const path = `/accounts/${other}/webhook_endpoints/${endpoint.id}`;
    const since = '2026-11-20T00:00:00Z';
    const answers = [
      await stranger.call('GET', path),
      await stranger.call('PATCH', path, { body: { url: 'https://evil.example' } }),
      await stranger.call('POST', `${path}/roll`),
      await stranger.call('POST', `${path}/pause`),
      await stranger.call('POST', `${path}/test`),
      await stranger.call('GET', `${path}/deliveries`),
      await stranger.call('POST', `${path}/recover`, { body: { since } }),
      await stranger.call('GET', `${path}/recover?since=${since}`),
      await stranger.call('DELETE', path),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect(await kit.audit(other)).toEqual([]);
  });
});

describe('deliveries', () => {
  it('are listed with their last attempt, by page, state, type, mode and time', async () => {
    const { path } = await add();
    await kit.writeEvents(account, { count: 2 });
    await kit.attempt(account, answering(200));
    kit.clock.move(60_000);
    await kit.writeEvents(account, { type: 'refund.failed', livemode: true });
    await kit.attempt(account, { error: 'The connection was refused.' });
    const list = async (query: string) => {
      const { data, total_count: total } = await get(`${path}/deliveries?${query}`);
      return [total, data.length];
    };
    const { data } = await get(`${path}/deliveries`);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      endpoint: path.split('/').at(-1),
      event: expect.stringMatching(/^evt_/),
      event_type: 'refund.failed',
      livemode: true,
      state: 'failed',
      attempts: 1,
      next_attempt_at: null,
      created_at: expect.any(String),
      last_attempt: {
        answer_status: null,
        error: 'The connection was refused.',
        duration_ms: expect.any(Number),
        at: expect.any(String),
      },
    });
    expect(await list('per_page=2')).toEqual([3, 2]);
    expect(await list('per_page=2&page=2')).toEqual([3, 1]);
    expect(await list('state=failed')).toEqual([1, 1]);
    expect(await list('state=pending')).toEqual([0, 0]);
    expect(await list('type=payment.succeeded')).toEqual([2, 2]);
    expect(await list('mode=live')).toEqual([1, 1]);
    expect(await list(`from=${data[0].created_at}`)).toEqual([1, 1]);
    expect(await list(`to=${data[0].created_at}`)).toEqual([2, 2]);
    expect((await developer.call('GET', `${path}/deliveries?from=2026-02-30T00:00:00Z`)).status).toBe(422);
  });

  it('show what was sent and answered on every attempt', async () => {
    const { path } = await add();
    const [event = ''] = await kit.writeEvents(account);
    await kit.attempt(account, answering(500, 'out of paper'), [1000]);
    kit.clock.move(2000);
    await kit.attempt(account, answering(200, 'thanks'));
    const { data } = await get(`${path}/deliveries`);
    const { delivery, attempts } = await get(`${path}/deliveries/${data[0].id}`);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(attempts).toMatchObject([
      {
        number: 1,
        url: 'https://shop.example/hooks',
        answer_status: 500,
        answer_body: 'out of paper',
        error: null,
      },
      {
        number: 2,
        answer_status: 200,
        answer_body: 'thanks',
        answer_headers: { 'content-type': 'text/plain' },
      },
    ]);
    expect(attempts[1].request_headers).toMatchObject({
      'webhook-id': event,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(JSON.parse(attempts[0].request_body)).toMatchObject({ id: event });
    expect((await developer.call('GET', `${path}/deliveries/dlv_x`)).status).toBe(404);
  });

  it('are resent one by one, and all that failed since a time, with how far it came', async () => {
    const { path } = await add();
    await kit.writeEvents(account, { count: 3 });
    await kit.attempt(account, answering(500));
    const since = '2026-11-20T00:00:00Z';
    const recovery = () => get(`${path}/recover?since=${since}`);
    expect(await recovery()).toEqual({ failed: 3, waiting: 0, retrying: 0 });
    const [{ id }] = (await get(`${path}/deliveries`)).data;
    const resent = await post(`${path}/deliveries/${id}/resend`);
    expect(resent.body).toMatchObject({ id, state: 'pending', attempts: 0 });
    expect((await post(`${path}/recover`, { since })).body).toEqual({ resent: 2, left: 0 });
    expect(await recovery()).toEqual({ failed: 0, waiting: 3, retrying: 0 });
    kit.clock.move(1000);
    await kit.attempt(account, answering(500), [60_000]);
    expect(await recovery()).toEqual({ failed: 0, waiting: 0, retrying: 3 });
    expect(await get(`${path}/recover?since=2099-01-01T00:00:00Z`)).toEqual({
      failed: 0,
      waiting: 0,
      retrying: 0,
    });
    const until = kit.clock.now().toISOString().replace(/\.\d+/, '');
    for (const none of [{ until: since }, { types: ['refund.failed'] }, { since: until }]) {
      expect((await post(`${path}/recover`, { since, ...none })).body).toEqual({ resent: 0, left: 0 });
    }
    expect(await get(`${path}/recover?since=${since}&type=refund.failed`)).toMatchObject({ retrying: 0 });
    expect((await get(path)).health.retrying).toBe(3);
    const chosen = { since, types: ['payment.succeeded'], per_second: 1 };
    expect((await post(`${path}/recover`, chosen)).body).toEqual({ resent: 3, left: 0 });
    expect(await recovery()).toEqual({ failed: 0, waiting: 3, retrying: 0 });
    const due = (await get(`${path}/deliveries`)).data.map(
      ({ next_attempt_at: at }: { next_attempt_at: string }) => Date.parse(at) - kit.clock.now().getTime(),
    );
    // One per second, oldest first, and never later than they were due before.
    expect(due.map((ms: number) => Math.round(ms / 1000))).toEqual([2, 1, 0]);
    expect(await kit.audit(account)).toMatchObject([
      {},
      { action: 'webhook_delivery.resent', object_id: id },
      { action: 'webhook_endpoint.recovered', after: { since, resent: 2 } },
      ...[0, 0, 0].map((none) => ({ action: 'webhook_endpoint.recovered', after: { resent: none } })),
      { action: 'webhook_endpoint.recovered', after: { since, types: ['payment.succeeded'], resent: 3 } },
    ]);
  });
});

it('a change of an endpoint is committed with its audit entry, or not at all', async () => {
  const { path } = await add();
  const scope = { accountId: account };
  const kept = () =>
    kit.db.query<object>({
      text: 'select id, url, secret, status, deleted_at from webhook_endpoints where account_id = $1',
      values: [account],
      scope,
    });
  const before = await kept();
  const alterLog = (how: string) =>
    kit.db.query({ text: `alter table audit_log ${how}`, scope: 'everybody' });
  await alterLog(`add constraint full_log check (account_id <> '${account}') not valid`);
  const statuses = [
    await post(endpoints(), { url: 'https://shop.example/2', additional_events: false }),
    await change('PATCH', path, { url: 'https://elsewhere.example/hooks' }),
    await post(`${path}/roll`),
    await post(`${path}/pause`),
    await change('DELETE', path),
  ].map(({ status }) => status);
  await alterLog('drop constraint full_log');
  expect(statuses).toEqual([500, 500, 500, 500, 500]);
  expect(await kept()).toEqual(before);
});
