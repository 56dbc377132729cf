import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Directory } from '../cells/directory.ts';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { divideRequests } from './front.ts';

const held = '/dashboard/api/accounts/acct_held/payments';
let server: Server;
let directory: Directory;
/** The answer of the home database about accounts. */
let changes: {
  revision: number;
  cells: number;
  held: string[];
  moved: { readonly account: string; readonly cell: string }[];
};
let elapsedMs: number;

beforeEach(async () => {
  changes = { revision: 1, cells: 2, held: ['acct_held'], moved: [] };
  elapsedMs = 0;
  directory = new Directory(() => ({ query: async <Row>() => [changes] as Row[] }));
  await directory.refresh();
  server = createServer((_request, response) => void response.end('home'));
  divideRequests(server, {
    directory,
    newRequestId: () => 'req_1',
    baseUrl: () => 'http://till.invalid',
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    elapsed: () => elapsedMs,
    listenerIn: (cell) => (_request, response) => void response.end(cell),
    cellOfPage: async () => 'home',
    onIncident: (error) => {
      throw error;
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

const ask = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

/** Resolves once a request waits, which means that it has called `whenRefreshed` of the directory. */
async function whenOneWaits(): Promise<void> {
  const usual = directory.whenRefreshed.bind(directory);
  await new Promise<void>((resolve) => {
    directory.whenRefreshed = () => {
      resolve();
      return usual();
    };
  });
}

it('a request of an account that is handed over waits, and goes where the account is then', async () => {
  const waits = whenOneWaits();
  const answer = ask(held);
  await waits;
  expect(await (await ask('/dashboard/api/accounts/acct_other/payments')).text()).toBe('home');
  changes = { revision: 2, cells: 2, held: [], moved: [{ account: 'acct_held', cell: 'east' }] };
  await directory.refresh();
  expect(await (await answer).text()).toBe('east');
});

it('it waits for five seconds at most, and is then answered 503 with Retry-After', async () => {
  const waits = whenOneWaits();
  const answer = ask(held);
  await waits;
  elapsedMs = 4_999;
  const waitsAgain = whenOneWaits();
  await directory.refresh();
  await waitsAgain;
  elapsedMs = 5_000;
  await directory.refresh();
  const refused = await answer;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable' } });
});

it('an account whose requests take all places of those that wait leaves another one its share', async () => {
  changes = { revision: 2, cells: 2, held: ['acct_held', 'acct_other'], moved: [] };
  await directory.refresh();
  const refused: string[] = [];
  for (let n = 0; n < 2_001; n += 1) {
    const response = { destroyed: false, writeHead: () => {}, end: (text: string) => refused.push(text) };
    const request = { url: held, rawHeaders: [] };
    server.emit('request', request as unknown as IncomingMessage, response as unknown as ServerResponse);
  }
  await expect.poll(() => refused).toEqual([expect.stringContaining('service_unavailable')]);
  const waits = whenOneWaits();
  const answer = ask('/dashboard/api/accounts/acct_other/payments');
  await Promise.race([waits, answer]);
  changes = { revision: 3, cells: 2, held: ['acct_held'], moved: [] };
  await directory.refresh();
  expect([(await answer).status, await (await answer).text()]).toEqual([200, 'home']);
  changes = { revision: 4, cells: 2, held: [], moved: [] };
  await directory.refresh();
});
