import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faults } from '../directives/faults.ts';
import { readLedger } from '../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { resolveOrder } from './orders/approval.ts';
import {
  type Answer,
  cardSource,
  createTestClient,
  type OrderBody,
  order,
  type TestClient,
  testPan,
  untilWaiting,
  walletSource,
} from './test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const orders = '/v2/checkout/orders';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

function token(authorization: string, form = 'grant_type=client_credentials'): Promise<Answer> {
  const body = Buffer.from(form);
  return client.send({ method: 'POST', url: '/v1/oauth2/token', headers: { authorization }, body });
}

describe('the access token', () => {
  test('belongs to the client id, for nine hours of its account, in every process', async () => {
    const { status, json } = await token(basic('acct_1:any secret'));
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 32_400 });
    const other = createTestClient(db.pool);
    const headers = { authorization: `Bearer ${json.access_token}` };
    const read = () => other.send({ url: `${orders}/0`, headers });
    expect(await read()).toMatchObject({ status: 404, json: { name: 'RESOURCE_NOT_FOUND' } });
    other.clock.now = new Date(other.clock.now.getTime() + 9 * 3_600_000);
    expect(await read()).toMatchObject({
      status: 401,
      json: { name: 'AUTHENTICATION_FAILURE', error: 'invalid_token' },
    });
    expect(await db.dump()).not.toContain(json.access_token);
  });

  test.each(['', basic('acct_1:'), basic(':secret'), basic('acct_1'), 'Bearer x'])(
    'is refused for %j',
    async (authorization) => {
      expect(await token(authorization)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    },
  );

  test('is refused for another grant', async () => {
    expect(await token(basic('a:b'), 'grant_type=password')).toMatchObject({
      status: 400,
      json: { error: 'unsupported_grant_type' },
    });
  });

  test('for a browser lasts 15 minutes and opens nothing', async () => {
    const form = 'grant_type=client_credentials&response_type=client_token&domains[]=shop.example';
    const { status, json } = await token(basic('acct_1:secret'), form);
    expect(status).toBe(200);
    expect(json).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 });
    const headers = { authorization: `Bearer ${json.access_token}` };
    expect(await client.send({ url: `${orders}/0`, headers })).toMatchObject({ status: 401 });
    const wrong = `${form}&domains[]=not a domain`;
    expect(await token(basic('acct_1:secret'), wrong)).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
  });

  test('shows nobody the orders of another account', async () => {
    const { json } = await client.post('mine', orders, order(cardSource({}), {}, 'AUTHORIZE'), 'mine');
    const [{ id }] = json.purchase_units[0].payments.authorizations;
    for (const path of [`${orders}/${json.id}`, `/v2/payments/authorizations/${id}`]) {
      expect(await client.get('mine', path)).toMatchObject({ status: 200 });
      expect(await client.get('theirs', path)).toMatchObject({ status: 404 });
    }
    expect(await client.post('theirs', `/v2/payments/authorizations/${id}/capture`)).toMatchObject({
      status: 404,
    });
  });
});

describe('at the door', () => {
  test('no token, another path, another method, and other input are refused', async () => {
    expect(await client.send({ url: `${orders}/0` })).toMatchObject({ status: 401 });
    expect(await client.get('door', '/v2/unknown')).toMatchObject({ status: 404 });
    expect(await client.get('door', orders)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(await client.post('door', orders, 'x', 'k', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      json: { name: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    const answer = await client.post('door', orders, `{"number":"${testPan}"`, 'k');
    expect(answer).toMatchObject({ status: 400, json: { details: [{ issue: 'MALFORMED_REQUEST_JSON' }] } });
    expect(answer.text).not.toContain(testPan);
    expect(answer.headers['paypal-debug-id']).toMatch(/^[0-9a-f]{13}$/);
    expect(await client.post('door', orders, order(cardSource()), 'k'.repeat(109))).toMatchObject({
      status: 400,
    });
  });
});

async function charges(account: string): Promise<number> {
  return (await readLedger(db.pool, account)).charges.length;
}

/** Sends a request and aborts it as soon as the processor does not respond. */
async function sendAndAbort(own: TestClient, ask: () => Promise<Answer>): Promise<Answer | Error> {
  let isAnswered = false;
  const answer = ask()
    .catch((error: Error) => error)
    .finally(() => {
      isAnswered = true;
    });
  const silent = untilWaiting(own, 1, () => isAnswered).then(() => new Error('client timed out'));
  return Promise.race([answer, silent]);
}

const shown: Readonly<Record<string, object>> = {
  'SIM-500': { status: 500, json: { name: 'INTERNAL_SERVER_ERROR' } },
  'SIM-503': { status: 503, json: { name: 'SERVICE_UNAVAILABLE' } },
  'SIM-TIMEOUT-LOST': { message: 'client timed out' },
  'SIM-DROP': { name: 'ConnectionDropped' },
  'SIM-500-DONE': { status: 500, json: { name: 'INTERNAL_SERVER_ERROR' } },
  'SIM-TIMEOUT-DONE': { message: 'client timed out' },
  'SIM-DROP-DONE': { name: 'ConnectionDropped' },
};

describe.each(
  faults.flatMap((fault) =>
    fault.strikes === 'slow' ? [] : [[fault.value, fault.strikes === 'done' ? 1 : 0] as const],
  ),
)('%s', (directive, charged) => {
  test('strikes the first try of a typed card', async () => {
    const account = `card-${directive}`;
    const body: OrderBody = order(cardSource({ name: directive }), {}, 'AUTHORIZE');
    const own = createTestClient(db.pool);
    expect(await sendAndAbort(own, () => own.post(account, orders, body, 'key'))).toMatchObject(
      shown[directive] ?? {},
    );
    expect(await charges(account)).toBe(charged);
    const again = await client.post(account, orders, body, 'key');
    expect(again).toMatchObject({ status: charged === 1 ? 200 : 201, json: { status: 'COMPLETED' } });
    expect(await charges(account)).toBe(1);
    const [{ id }] = again.json.purchase_units[0].payments.authorizations;
    expect(await client.post(account, `/v2/payments/authorizations/${id}/capture`)).toMatchObject({
      status: 201,
    });
  });

  test('strikes the first capture of a wallet', async () => {
    const account = `wallet-${directive}`;
    const { json } = await client.post(account, orders, order(walletSource, { description: directive }));
    await resolveOrder(client.deps, json.id, 'approved');
    const own = createTestClient(db.pool);
    const capture = (by: TestClient) => by.post(account, `${orders}/${json.id}/capture`, {}, 'key');
    expect(await sendAndAbort(own, () => capture(own))).toMatchObject(shown[directive] ?? {});
    expect(await charges(account)).toBe(charged);
    expect(await capture(client)).toMatchObject({ status: charged === 1 ? 200 : 201 });
    expect(await charges(account)).toBe(1);
  });
});

describe('SIM-SLOW', () => {
  test('holds its request id while it is under way', async () => {
    const own = createTestClient(db.pool);
    const body = order(cardSource(), { description: 'SIM-SLOW' });
    const first = own.post('slow', orders, body, 'key');
    await untilWaiting(own, 1);
    expect(own.waits[0]?.ms).toBe(8000);
    expect(await client.post('slow', orders, body, 'key')).toMatchObject({
      status: 409,
      json: { name: 'RESOURCE_CONFLICT', details: [{ issue: 'PREVIOUS_REQUEST_IN_PROGRESS' }] },
    });
    expect(await charges('slow')).toBe(0);
    own.waits[0]?.release();
    expect(await first).toMatchObject({ status: 201 });
    expect(await client.post('slow', orders, body, 'key')).toMatchObject({ status: 200 });
    expect(await charges('slow')).toBe(1);
  });

  test('gives the request id back where it is refused', async () => {
    const own = createTestClient(db.pool);
    const first = own.post('back', orders, order(cardSource({ name: 'SIM-SLOW', expiry: '2001-01' })), 'key');
    await untilWaiting(own, 1);
    own.waits[0]?.release();
    expect(await first).toMatchObject({ status: 422 });
    expect(await client.post('back', orders, order(cardSource()), 'key')).toMatchObject({ status: 201 });
  });

  test('that a crash cut short frees its id after 12 seconds, and charges once', async () => {
    const crashed = createTestClient(db.pool);
    const body = order(cardSource(), { description: 'SIM-SLOW' });
    const first = crashed.post('crash', orders, body, 'key');
    await untilWaiting(crashed, 1);
    const next = createTestClient(db.pool);
    next.clock.now = new Date(crashed.clock.now.getTime() + 12_000);
    const second = await next.post('crash', orders, body, 'key');
    expect(second.status).toBe(201);
    crashed.waits[0]?.release();
    expect(await first).toMatchObject({ status: 200, text: second.text });
    expect(await charges('crash')).toBe(1);
  });
});
