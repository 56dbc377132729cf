import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import type { NotificationRequest } from '../processors/port/notifications.ts';
import type { Database } from '../store/database.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { processorNotificationRoutes } from './routes.ts';
import { createProcess, createTestDatabase, delivery, namesOf, openAccount, stored } from './test-kit.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

function createServer(deps: IntakeDependencies): FastifyInstance {
  const app = createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 100, burst: 100, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: () => {},
  });
  processorNotificationRoutes(app, deps);
  return app;
}

const post = (app: FastifyInstance, url: string, { headers, body }: NotificationRequest) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  });

describe('the address for notifications', () => {
  it.each([
    ['a', 'processor_a'],
    ['b', 'processor_b'],
  ] as const)(
    'processor_%s: the receipt as plain text, and the content is stored',
    async (name, processor) => {
      const account = await openAccount(db, processor);
      const app = createServer(createProcess(db).deps);
      const url = `/processors/${name}/notifications/${account}`;
      const answer = await post(app, url, delivery(account, false, [{ id: 'one' }]));
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      expect(answer.body).toBe('[taken]');
      expect((await stored(db, account)).map(({ id }) => id)).toEqual(await namesOf(db, account, ['one']));
    },
  );

  it('pass the unchanged bytes and all headers to the adapter, whatever their content type', async () => {
    const account = await openAccount(db, 'processor_a');
    const { deps } = createProcess(db);
    const seen: NotificationRequest[] = [];
    const app = createServer({
      ...deps,
      connect: (options) => {
        const connected = deps.connect(options);
        const receiveNotification = async (_connection: unknown, request: NotificationRequest) => {
          seen.push(request);
          return { kind: 'refused', reason: 'read only' } as const;
        };
        return connected && { ...connected, port: { ...connected.port, receiveNotification } };
      },
    });
    const bytes = Buffer.from('\ufeff{"a" : 1,\n"a":2, "é":"\\u00e9"}  \xff', 'latin1');
    const headers = { 'content-type': 'text/xml', 'X-Odd': ' Value ', authorization: 'Basic dTpw' };
    const answer = await post(app, `/processors/a/notifications/${account}`, { headers, body: bytes });
    expect(answer.statusCode).toBe(401);
    expect(Buffer.from(seen[0]?.body ?? []).equals(bytes)).toBe(true);
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'text/xml', authorization: 'Basic dTpw' });
    expect(seen[0]?.headers['x-odd']?.trim()).toBe('Value');
  });

  it('errors have the error envelope', async () => {
    const account = await openAccount(db, 'processor_a');
    const app = createServer(createProcess(db).deps);
    const forged = delivery(account, false, [{ id: 'one' }], 'forged');
    const refused = await post(app, `/processors/a/notifications/${account}`, forged);
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toEqual({
      error: {
        type: 'authentication_error',
        code: 'invalid_signature',
        message: "This does not come from the account's processor.",
        doc_url: 'http://till.example/docs/errors#invalid_signature',
        request_id: 'req_1',
      },
    });
    const elsewhere = await post(app, `/processors/b/notifications/${account}`, forged);
    expect(elsewhere.statusCode).toBe(404);
    expect(elsewhere.json()).toMatchObject({ error: { code: 'not_found' } });
    const unsure = delivery(account, false, [{ id: 'one' }], 'unsure');
    const later = await post(app, `/processors/a/notifications/${account}`, unsure);
    expect(later.statusCode).toBe(503);
    expect(Number(later.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('accepts up to 256 KiB, POST only', async () => {
    const account = await openAccount(db, 'processor_a');
    const app = createServer(createProcess(db).deps);
    const url = `/processors/a/notifications/${account}`;
    const large = (length: number) => {
      const request = delivery(account, false, [{ id: `n${length}` }]);
      return {
        ...request,
        body: Buffer.concat([request.body, Buffer.alloc(length - request.body.length, ' ')]),
      };
    };
    expect((await post(app, url, large(256 * 1024))).statusCode).toBe(200);
    expect((await post(app, url, large(256 * 1024 + 1))).statusCode).toBe(413);
    const got = await app.inject({ method: 'GET', url });
    expect(got.statusCode).toBe(405);
    expect(got.headers.allow).toBe('POST');
  });

  it('accepts an empty body', async () => {
    const account = await openAccount(db, 'processor_a');
    const app = createServer(createProcess(db).deps);
    const answer = await app.inject({ method: 'POST', url: `/processors/a/notifications/${account}` });
    expect(answer.statusCode).toBe(401);
  });
});
