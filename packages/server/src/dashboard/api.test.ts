import { randomUUID } from 'node:crypto';
import { roles } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdBody, sendWhole } from '../http/input/test-held-body.ts';
import { createDashboardKit, type DashboardKit, origin, sentBy } from './test-kit.ts';
import { codeOf, mountThings, operations, to } from './test-things.ts';

let kit: DashboardKit;
let account: string;
beforeAll(async () => {
  kit = await createDashboardKit();
  mountThings(kit);
  account = await kit.openAccount();
});
afterAll(() => kit.drop());

describe('a change', () => {
  it('from another site, or from nowhere, is refused before anything else', async () => {
    const { token } = await kit.signIn(account, 'owner');
    const evil = [
      'https://evil.example',
      'http://till.example:81',
      'https://till.example',
      'null',
      'x',
      undefined,
    ];
    for (const from of evil) {
      for (const url of ['/dashboard/api/anyone', '/dashboard/api/mine']) {
        const { origin: _own, ...headers } = sentBy(token);
        const reply = await kit.app.inject({
          method: 'POST',
          url,
          headers: { ...headers, ...(from === undefined ? {} : { origin: from }) },
        });
        expect({ from, status: reply.statusCode, code: reply.json().error.code }).toEqual({
          from,
          status: 403,
          code: 'csrf_failed',
        });
      }
    }
  });

  it("needs the session's own token", async () => {
    const [mine, other] = [await kit.signIn(account, 'owner'), await kit.signIn(account, 'owner')];
    expect((await mine.call('POST', '/mine')).status).toBe(200);
    for (const token of ['', 'x', other.headers['x-csrf-token']]) {
      const reply = await mine.call('POST', '/mine', { headers: { 'x-csrf-token': token } });
      expect([reply.status, codeOf(reply)]).toEqual([403, 'csrf_failed']);
    }
  });

  it('of nobody is 401, but where anyone may', async () => {
    for (const cookie of ['', 'till_session=unknown', 'till_session=%E0%A4%A']) {
      const send = (url: string) => kit.app.inject({ method: 'POST', url, headers: { origin, cookie } });
      const reply = await send('/dashboard/api/mine');
      expect([reply.statusCode, reply.json().error]).toEqual([
        401,
        {
          type: 'authentication_error',
          code: 'not_signed_in',
          message: expect.stringMatching(/\S/),
          request_id: reply.headers['service-request-id'],
        },
      ]);
      expect((await send('/dashboard/api/anyone')).statusCode).toBe(200);
    }
  });

  it('comes from wherever the browser is, where no address is configured', async () => {
    const open = await createDashboardKit(null);
    open.api.mountSession(operations.anyone, async () => ({ status: 200, body: {} }));
    const send = async (host: string, from: string) =>
      (
        await open.app.inject({
          method: 'POST',
          url: '/dashboard/api/anyone',
          headers: { host, origin: from },
        })
      ).statusCode;
    expect(await send('localhost:8080', 'http://localhost:8080')).toBe(200);
    expect(await send('127.0.0.1:8080', 'http://127.0.0.1:8080')).toBe(200);
    expect(await send('127.0.0.1:8080', 'http://localhost:8080')).toBe(403);
    expect(await send('localhost:8080', 'http://localhost:8081')).toBe(403);
    await open.drop();
  });
});

describe('a role', () => {
  const matrix = {
    view: { sandbox: roles, live: roles },
    develop: { sandbox: ['owner', 'admin', 'developer'], live: ['owner', 'admin', 'developer'] },
    money: { sandbox: ['owner', 'admin', 'developer', 'support'], live: ['owner', 'admin', 'support'] },
    manage: { sandbox: ['owner', 'admin'], live: ['owner', 'admin'] },
    own: { sandbox: ['owner'], live: ['owner'] },
  } as const;

  it.each(['sandbox', 'live'] as const)('allows in %s what the table says', async (environment) => {
    const place = await kit.openAccount();
    if (environment === 'live') await kit.goLive(place);
    for (const role of roles) {
      const { call } = await kit.signIn(place, role);
      for (const [name, allowed] of Object.entries(matrix)) {
        const { method, path } = operations[name as keyof typeof matrix];
        const headers = { 'idempotency-key': randomUUID() };
        const url = path.replace(':account', place).replace(':id', 'thing_1');
        const reply = await call(method, url, {
          headers,
          ...(name === 'money' ? { body: { amount: 1 } } : {}),
        });
        const may = (allowed[environment] as readonly string[]).includes(role);
        expect({ role, name, good: reply.status < 300, code: codeOf(reply) }).toEqual({
          role,
          name,
          good: may,
          code: may ? undefined : 'forbidden',
        });
      }
      const listed = Object.entries(matrix).filter(([, may]) =>
        (may[environment] as readonly string[]).includes(role),
      );
      expect(kit.api.allowedOperations(role, environment === 'live').toSorted()).toEqual(
        listed.map(([name]) => name).toSorted(),
      );
    }
  });

  it('in another account is none: it answers like one that does not exist', async () => {
    const { call } = await kit.signIn(account, 'owner');
    const foreign = await kit.openAccount();
    const without = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/money'],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() };
      const [reply, unknown] = [
        await call(method, to(foreign, path), { headers }),
        await call(method, to('acct_unknown', path), { headers }),
      ];
      expect([reply.status, codeOf(reply)]).toEqual([404, 'not_found']);
      expect(without(reply.text)).toBe(without(unknown.text));
    }
    expect((await call('GET', to('%00'))).status).toBe(404);
    expect((await call('GET', `/accounts/${account}/things/%00`)).status).toBe(404);
  });
});

describe('an operation', () => {
  it('that needs it asks for the password again after ten minutes', async () => {
    const { call } = await kit.signIn(account, 'owner');
    kit.clock.move(10 * 60_000 - 1);
    expect((await call('PATCH', to(account))).status).toBe(200);
    kit.clock.move(1);
    const reply = await call('PATCH', to(account));
    expect([reply.status, codeOf(reply)]).toEqual([401, 'confirmation_required']);
    expect((await call('GET', to(account))).status).toBe(200);
  });

  it('shows what its schema lists and nothing else, and is not kept by anybody', async () => {
    const { call } = await kit.signIn(account, 'viewer');
    const reply = await call('GET', to(account));
    expect(reply.body).toEqual({ id: 'thing_1', amount: 1 });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it('checks its body, and names the field', async () => {
    const { call } = await kit.signIn(account, 'owner');
    const send = (options: object) =>
      call('POST', to(account, '/money'), { headers: { 'idempotency-key': randomUUID() }, ...options });
    for (const amount of [0, '5', 1.5]) {
      const reply = await send({ body: { amount } });
      expect([reply.status, reply.body.error.param]).toEqual([422, 'amount']);
    }
    expect(codeOf(await send({ payload: '{' }))).toBe('missing_field');
  });

  it('says in the log line which account and mode it was about', async () => {
    const { call } = await kit.signIn(account, 'owner');
    await call('GET', to(account));
    expect(kit.records.at(-1)).toMatchObject({
      route: '/dashboard/api/accounts/:account/things/:id',
      fields: { account, livemode: false },
    });
  });

  it('is limited by address too, before a session is looked for', async () => {
    const send = (remoteAddress: string) =>
      kit.app.inject({
        method: 'GET',
        url: `/dashboard/api${to(account)}`,
        headers: { cookie: 'till_session=unknown' },
        remoteAddress,
      });
    const before = kit.sessionsLookedFor();
    const all = await Promise.all(Array.from({ length: 1100 }, () => send('192.0.2.50')));
    expect(all.filter(({ statusCode }) => statusCode === 401)).toHaveLength(200);
    expect(all.filter(({ statusCode }) => statusCode === 429)).toHaveLength(900);
    expect(kit.sessionsLookedFor() - before).toBe(1000);
    expect((await send('192.0.2.51')).statusCode).toBe(401);
    kit.clock.move(5000);
  });

  it('is limited per session', async () => {
    const [mine, other] = [await kit.signIn(account, 'viewer'), await kit.signIn(account, 'viewer')];
    const all = await Promise.all(Array.from({ length: 230 }, () => mine.call('GET', to(account))));
    const limited = all.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(30);
    expect(codeOf(limited[0] as never)).toBe('rate_limited');
    expect(limited[0]?.headers['retry-after']).toBe('1');
    expect((await other.call('GET', to(account))).status).toBe(200);
    kit.clock.move(5000);
  });
});

describe('a body that comes later', () => {
  let baseUrl: string;
  beforeAll(async () => {
    baseUrl = await kit.app.listen({ port: 0, host: '127.0.0.1' });
  });
  const body = '{}';
  const requestOf = (method: string, path: string, token: string) => ({
    method,
    path: `/dashboard/api${path}`,
    headers: { ...sentBy(token), 'content-type': 'application/json' },
  });

  it('asks for the password again where it was given too long ago by then', async () => {
    const { token } = await kit.signIn(account, 'owner');
    const held = await holdBody(baseUrl, requestOf('PATCH', to(account), token), body.length);
    kit.clock.move(10 * 60_000);
    const reply = await held.finish(body);
    expect([reply.status, codeOf(reply)]).toEqual([401, 'confirmation_required']);
  });

  it('has its session looked up again, one that came with the headers has not', async () => {
    const { token } = await kit.signIn(account, 'owner');
    const before = kit.sessionsLookedFor();
    const request = requestOf('POST', '/mine', token);
    expect((await sendWhole(baseUrl, request, body)).status).toBe(200);
    expect(kit.sessionsLookedFor() - before).toBe(1);
    const held = await holdBody(baseUrl, request, body.length);
    expect((await held.finish(body)).status).toBe(200);
    expect(kit.sessionsLookedFor() - before).toBe(3);
  });
});
