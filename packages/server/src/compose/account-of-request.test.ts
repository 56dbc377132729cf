import { ApiError } from '@till/contract';
import { expect, it } from 'vitest';
import { Directory } from '../cells/directory.ts';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import { accountOf, handedOver } from './account-of-request.ts';

/** A server of home whose database has no accounts, but whose directory knows their cells. */
async function serverWithoutRows() {
  const changes = {
    revision: 1,
    cells: 2,
    held: ['acct_held'],
    moved: [{ account: 'acct_gone', cell: 'east' }],
  };
  const asked: unknown[] = [];
  const query = async <Row>({ name }: { readonly name?: string }) => {
    asked.push(name);
    return (name === 'find_cell_keys' ? [] : [changes]) as Row[];
  };
  const directory = new Directory(() => ({ query }));
  await directory.refresh();
  const unexpected: unknown[] = [];
  const app = createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.invalid',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: (error) => unexpected.push(error),
    insteadOf: handedOver({ directory }),
  });
  const base = '/dashboard/api/accounts/:account';
  app.get(`${base}/payments`, async () => '{"data":[]}');
  app.post(`${base}/done`, async (_request, reply) => reply.code(201).send('{"id":"re_1"}'));
  app.post(`${base}/refunds`, async () => {
    throw new Error('re_1 does not exist');
  });
  app.get('/api/v1/payments', async () => {
    throw new ApiError('invalid_api_key', 'The API key is not known or was revoked.');
  });
  const ask = async (method: 'GET' | 'POST', account: string, path: string) => {
    const answer = await app.inject({ method, url: `/dashboard/api/accounts/${account}/${path}` });
    return answer.statusCode;
  };
  return { app, ask, asked, directory, unexpected };
}

it('what a request does not find of an account that was handed over meanwhile is 503', async () => {
  const { app, ask, unexpected } = await serverWithoutRows();
  expect(await ask('GET', 'acct_gone', 'payments')).toBe(503);
  expect(await ask('POST', 'acct_gone', 'refunds')).toBe(503);
  expect(await ask('POST', 'acct_held', 'refunds')).toBe(503);
  expect(unexpected).toEqual([]);
  const refused = await app.inject('/dashboard/api/accounts/acct_gone/payments');
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json()).toMatchObject({ error: { code: 'service_unavailable', request_id: 'req_1' } });
});

it('what was done, and what is read while it is just being handed over, is answered', async () => {
  const { ask, unexpected } = await serverWithoutRows();
  expect(await ask('POST', 'acct_gone', 'done')).toBe(201);
  expect(await ask('GET', 'acct_held', 'payments')).toBe(200);
  expect(await ask('GET', 'acct_here', 'payments')).toBe(200);
  expect(await ask('POST', 'acct_here', 'refunds')).toBe(500);
  expect(unexpected).toHaveLength(1);
});

it('a key that nobody knows is not looked up again once it is refused, when nobody would see that fail', async () => {
  const { app, asked } = await serverWithoutRows();
  const headers = { authorization: 'Bearer sk_test_nobody' };
  expect((await app.inject({ url: '/api/v1/payments', headers })).statusCode).toBe(401);
  await new Promise(setImmediate);
  expect(asked).toEqual(['read_directory_changes']);
});

it.each([
  '/dashboard/api/accounts/%61cct_gone/payments',
  '/dashboard/%61pi/accounts/acct_gone/payments',
  'http://till.example/dashboard/api/accounts/acct_gone/payments',
])('the account is found however its address is written: %s', async (url) => {
  const { directory } = await serverWithoutRows();
  expect(accountOf(directory, { url, rawHeaders: [] })).toBe('acct_gone');
});
