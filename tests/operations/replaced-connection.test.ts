import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { runConnections } from '../support/connections.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { freshEmail, Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { type SimulatedProcessor, serveProcessorB } from '../support/simulated-processor.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let processor: SimulatedProcessor;
let shop: Merchant;

/** Names of two merchant accounts at the same processor. */
const first = 'MERCHANTONE';
const second = 'MERCHANTTWO';

const credentialsOf = (merchant: string) => ({
  client_id: merchant,
  client_secret: 'secret-of-the-app',
  merchant_id: merchant,
  webhook_id: '1JE4291016473214C',
});

/** Runs `till connections …` for the shop, with credentials on standard input. */
const connections = (input: object, ...parameters: string[]) =>
  runConnections(server, input, ...parameters, '--account', shop.id);

const set = (merchant: string, ...options: string[]) =>
  connections(credentialsOf(merchant), 'set', '--base-url', processor.baseUrl, '--no-check', ...options);

/** Waits until the running server uses this merchant account. */
const inForce = (merchant: string) =>
  until(`${merchant} is charged with`, async () => {
    const paid = await shop.pay({ amount: 100 });
    return (await processor.ledger(merchant)).charges.some(({ reference }) => reference === paid.body.id);
  });

const chargesOf = async (merchant: string, id: string) =>
  (await processor.ledger(merchant)).charges
    .filter(({ reference }) => reference === id)
    .map(({ status }) => status);

const inDoubtKey = randomUUID();
const payInDoubt = () =>
  shop.pay({ amount: 700, card: { holder_name: 'SIM-DROP-DONE' } }, { idempotencyKey: inDoubtKey });

/** Ids of the objects created with the first merchant account. */
const made = { hold: '', captured: '', paid: '', inDoubt: '', customer: '', method: '' };
const another = {
  status: 422,
  body: { error: { code: 'provider_not_configured', message: expect.stringContaining(first) } },
};

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  processor = await serveProcessorB(cleanUp);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_PROCESSOR_TIMEOUT_MS: '5000',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server, 'processor_b', '--three-d-secure', 'off');
  expect((await set(first)).exitCode).toBe(0);
  await inForce(first);
  made.customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
  const hold = () => shop.pay({ capture_method: 'manual' });
  made.hold = (await hold()).body.id;
  made.captured = (await hold()).body.id;
  const paid = await shop.pay({ customer: made.customer, save_payment_method: true });
  made.paid = paid.body.id;
  made.method = paid.body.payment_method_id;
  expect((await payInDoubt()).status).toBe(503);
  const doubtful = (await processor.ledger(first)).charges.find(({ amount }) => amount === 700);
  made.inDoubt = doubtful?.reference ?? '';
});
afterAll(cleanUp.run);

describe('before a connection is replaced by another merchant account', () => {
  it('connection_in_use says what is open under it, for set, rotate and remove, and changes nothing', async () => {
    const refused = await set(second);
    expect(refused).toMatchObject({ exitCode: 1, value: { error: { code: 'connection_in_use' } } });
    const { message } = refused.value.error;
    for (const part of [first, '2 holds', '1 operation without an answer', '1 saved method', '--force']) {
      expect(message).toContain(part);
    }
    const rotated = await connections({ merchant_id: second }, 'rotate', '--no-check');
    expect(rotated).toMatchObject({ exitCode: 1, value: { error: { code: 'connection_in_use' } } });
    const removed = await connections({}, 'remove');
    expect(removed).toMatchObject({ exitCode: 1, value: { error: { code: 'connection_in_use' } } });
    const shown = await connections({}, 'show');
    expect(shown.value.data).toMatchObject([{ merchant_id: first }]);
  });

  it('a rotated secret of the same merchant account is accepted', async () => {
    expect((await connections({ client_secret: 'another-secret' }, 'rotate', '--no-check')).exitCode).toBe(0);
    expect((await set(first)).exitCode).toBe(0);
  });
});

describe('objects of another merchant account', () => {
  beforeAll(async () => {
    expect((await set(second, '--force')).exitCode).toBe(0);
    await inForce(second);
  });

  it('422 provider_not_configured for void: the hold stays authorized on both sides', async () => {
    const voided = await shop.post(`/api/v1/payments/${made.hold}/void`);
    expect(voided).toMatchObject(another);
    expect(voided.body.error.message).toContain('till connections set');
    expect((await shop.get(`/api/v1/payments/${made.hold}`)).body.status).toBe('authorized');
    expect(await chargesOf(first, made.hold)).toEqual(['authorized']);
  });

  it('422 provider_not_configured for capture', async () => {
    expect(await shop.post(`/api/v1/payments/${made.captured}/capture`)).toMatchObject(another);
    expect((await shop.get(`/api/v1/payments/${made.captured}`)).body.status).toBe('authorized');
  });

  it('422 provider_not_configured for a refund, and none is recorded', async () => {
    expect(await shop.post(`/api/v1/payments/${made.paid}/refunds`, {})).toMatchObject(another);
    expect((await shop.get(`/api/v1/payments/${made.paid}/refunds`)).body.total_count).toBe(0);
  });

  it('422 provider_not_configured for a saved method, which is not the newest to charge either', async () => {
    const changes = { customer: made.customer, payment_method: undefined, merchant_initiated: true };
    const named = await shop.pay({ ...changes, stored_payment_method: made.method });
    expect(named).toMatchObject({ ...another, body: { error: { param: 'stored_payment_method' } } });
    const newest = await shop.pay({ ...changes, use_last_payment_method: true });
    expect(newest).toMatchObject({ status: 422, body: { error: { param: 'use_last_payment_method' } } });
  });

  it('503 for the retry of a charge in doubt: no second charge, and never reported as failed', async () => {
    const { url } = await commandJson<{ url: string }>(server.environment, ['db', 'url']);
    // The state after the tries that are left to the merchant's own retry.
    await queryDatabase(
      url,
      `update operations set tries = 2, next_try_at = now() where subject = $1 and state = 'unknown'`,
      [made.inDoubt],
    );
    await until('recovery has looked', () => server.printed().err.includes('waits for the credentials'));
    const again = await payInDoubt();
    expect(again).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    expect(again.body.error.message).toContain(first);
    expect(await chargesOf(first, made.inDoubt)).toEqual(['captured']);
    expect(await chargesOf(second, made.inDoubt)).toEqual([]);
    expect((await shop.get(`/api/v1/payments/${made.inDoubt}`)).status).toBe(404);
    const failed = await shop.get('/api/v1/events?type=payment.failed');
    expect(failed.body.data).toEqual([]);
  });

  it('a removal stays open upstream: no "not found" of another account ends it', async () => {
    expect((await shop.call('DELETE', `/api/v1/payment_methods/${made.method}`)).status).toBe(200);
    const { url } = await commandJson<{ url: string }>(server.environment, ['db', 'url']);
    const left = () =>
      queryDatabase(url, "select 1 from operations where subject = $1 and kind = 'remove'", [made.method]);
    expect(await left()).toHaveLength(1);
  });
});

describe('once the former credentials are restored', () => {
  beforeAll(async () => {
    // No work is open with the second merchant account, so `--force` is not needed.
    expect((await set(first)).exitCode).toBe(0);
    await inForce(first);
  });

  it('void, capture and refund are carried out', async () => {
    expect((await shop.post(`/api/v1/payments/${made.hold}/void`)).body.status).toBe('voided');
    expect(await chargesOf(first, made.hold)).toEqual(['voided']);
    expect((await shop.post(`/api/v1/payments/${made.captured}/capture`)).body.status).toBe('succeeded');
    expect(await shop.post(`/api/v1/payments/${made.paid}/refunds`, {})).toMatchObject({ status: 201 });
    expect((await processor.ledger(first)).refunds).toMatchObject([{ payment_reference: made.paid }]);
  });

  it('the charge in doubt is settled as the one charge that it was', async () => {
    const settled = await until('the retry is answered', async () => {
      const answer = await payInDoubt();
      return answer.status === 201 && answer;
    });
    expect(settled.body).toMatchObject({ id: made.inDoubt, status: 'succeeded' });
    expect(await chargesOf(first, made.inDoubt)).toEqual(['captured']);
  });
});

it('the simulator that serves after a removal is another merchant account too', async () => {
  const hold = (await shop.pay({ capture_method: 'manual' })).body.id;
  expect((await connections({}, 'remove', '--force')).value).toMatchObject({ removed: true });
  await until('the simulator is charged with', async () => {
    const paid = await shop.pay({ amount: 100 });
    return (await shop.ledger()).charges.some(({ reference }) => reference === paid.body.id);
  });
  expect(await shop.post(`/api/v1/payments/${hold}/void`)).toMatchObject(another);
  expect(await chargesOf(first, hold)).toEqual(['authorized']);
});
