import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { resolveOrder } from '../orders/approval.ts';
import {
  cardSource,
  createTestClient,
  order,
  referenceOf,
  type TestClient,
  walletSource,
} from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const day = 24 * 3_600_000;
const issue = (name: string, status = 422) => ({ status, json: { details: [{ issue: name }] } });
let keys = 0;

async function hold(account: string, description?: string, own = client) {
  const body = order(cardSource(), description === undefined ? {} : { description }, 'AUTHORIZE');
  const answer = await own.post(account, '/v2/checkout/orders', body, `hold-${keys++}`);
  expect(answer).toMatchObject({ status: 201, json: { status: 'COMPLETED' } });
  const [authorization] = answer.json.purchase_units[0].payments.authorizations;
  return {
    reference: referenceOf(body),
    authorization,
    path: `/v2/payments/authorizations/${authorization.id}`,
  };
}

async function statuses(account: string): Promise<string[]> {
  return (await readLedger(db.pool, account)).charges.map((charge) => charge.status);
}

describe('a hold', () => {
  test('is guaranteed from its creation and lasts 29 days', async () => {
    const { authorization, path, reference } = await hold('made');
    expect(authorization).toMatchObject({
      status: 'CREATED',
      create_time: '2026-12-01T12:00:00Z',
      expiration_time: '2026-12-30T12:00:00Z',
      amount: { currency_code: 'EUR', value: '19.99' },
      processor_response: { response_code: '0000' },
    });
    expect(await client.get('made', path)).toMatchObject({
      status: 200,
      json: {
        status: 'CREATED',
        supplementary_data: { related_ids: { authorization_id: authorization.id } },
      },
    });
    expect((await readLedger(db.pool, 'made')).charges).toEqual([
      { reference, amount: 1999, currency: 'EUR', status: 'authorized' },
    ]);
  });

  test('is captured once', async () => {
    const { path } = await hold('taken');
    const body = { final_capture: true };
    const captured = await client.post('taken', `${path}/capture`, body, 'take');
    expect(captured).toMatchObject({
      status: 201,
      json: { status: 'COMPLETED', final_capture: true, amount: { value: '19.99' } },
    });
    expect(await client.post('taken', `${path}/capture`, body, 'take')).toMatchObject({
      status: 200,
      text: captured.text,
    });
    expect(await client.post('taken', `${path}/capture`, body, 'again')).toMatchObject(
      issue('AUTHORIZATION_ALREADY_CAPTURED'),
    );
    expect(await client.post('taken', `${path}/void`, {}, 'void')).toMatchObject(
      issue('PREVIOUSLY_CAPTURED'),
    );
    expect((await client.get('taken', path)).json.status).toBe('CAPTURED');
    expect(await client.get('taken', `/v2/payments/captures/${captured.json.id}`)).toMatchObject({
      status: 200,
    });
    expect(await statuses('taken')).toEqual(['captured']);
  });

  test('captured many times at once is captured once', async () => {
    const { path } = await hold('race');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.post('race', `${path}/capture`, {}, `race-${index}`)),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await statuses('race')).toEqual(['captured']);
  });

  test('captured and voided at once ends in one of the two', async () => {
    const { path } = await hold('either');
    const [capture, release] = await Promise.all([
      client.post('either', `${path}/capture`),
      client.post('either', `${path}/void`),
    ]);
    expect([capture.status, release.status].sort()).toEqual(capture.status === 201 ? [201, 422] : [200, 422]);
    expect(await statuses('either')).toEqual([capture.status === 201 ? 'captured' : 'voided']);
  });

  test('may be captured in part, never for more or in another currency', async () => {
    const { path } = await hold('part');
    const take = (value: string, currency_code = 'EUR') =>
      client.post('part', `${path}/capture`, { amount: { currency_code, value } });
    expect(await take('20.00')).toMatchObject(issue('MAX_CAPTURE_AMOUNT_EXCEEDED'));
    expect(await take('0.00')).toMatchObject(issue('CANNOT_BE_ZERO_OR_NEGATIVE'));
    expect(await take('1.00', 'USD')).toMatchObject(issue('AUTH_CAPTURE_CURRENCY_MISMATCH'));
    expect(await take('5.00')).toMatchObject({ status: 201 });
    expect((await readLedger(db.pool, 'part')).charges).toMatchObject([{ amount: 500, status: 'captured' }]);
  });

  test('is voided, shortly or with what became of it', async () => {
    const first = await hold('void');
    const short = await client.post('void', `${first.path}/void`, {}, 'short', { prefer: 'return=minimal' });
    expect(short).toMatchObject({ status: 204, text: '' });
    expect(await client.post('void', `${first.path}/void`, {}, 'short')).toMatchObject({
      status: 204,
      text: '',
    });
    expect(await client.post('void', `${first.path}/void`, {}, 'again')).toMatchObject(
      issue('PREVIOUSLY_VOIDED'),
    );
    expect(await client.post('void', `${first.path}/capture`)).toMatchObject(issue('AUTHORIZATION_VOIDED'));
    const second = await hold('void');
    expect(await client.post('void', `${second.path}/void`)).toMatchObject({
      status: 200,
      json: { status: 'VOIDED' },
    });
    expect(await statuses('void')).toEqual(['voided', 'voided']);
  });

  test('is still captured after the third day, and no longer after the 29th', async () => {
    const later = createTestClient(db.pool);
    const [early, late] = [await hold('days', undefined, later), await hold('days', undefined, later)];
    const start = later.clock.now.getTime();
    later.clock.now = new Date(start + 4 * day);
    expect((await later.post('days', `${early.path}/capture`)).json.status).toBe('COMPLETED');
    later.clock.now = new Date(start + 29 * day);
    expect(await later.post('days', `${late.path}/capture`)).toMatchObject(issue('AUTHORIZATION_EXPIRED'));
    expect(await later.post('days', `${late.path}/void`)).toMatchObject(issue('AUTHORIZATION_EXPIRED'));
  });

  test('follows its directives', async () => {
    const open = await hold('directives', 'SIM-HOLD-NO-GUARANTEE');
    expect(open.authorization).not.toHaveProperty('create_time');
    expect((await client.get('directives', open.path)).json).not.toHaveProperty('create_time');
    const passed = await hold('directives', 'SIM-HOLD-GUARANTEE-PASSED');
    expect(passed.authorization.create_time).toBe('2026-11-27T12:00:00Z');
    expect(await client.post('directives', `${passed.path}/capture`)).toMatchObject({
      status: 201,
      json: { status: 'DECLINED', processor_response: { response_code: '5100' } },
    });
    const expired = await hold('directives', 'SIM-HOLD-EXPIRED');
    expect(expired.authorization.expiration_time).toBe('2026-11-30T12:00:00Z');
    expect(await client.post('directives', `${expired.path}/capture`)).toMatchObject(
      issue('AUTHORIZATION_EXPIRED'),
    );
    expect(await statuses('directives')).toEqual(['authorized', 'authorized', 'authorized']);
  });

  test('that the issuer denies holds nothing', async () => {
    const body = order(cardSource(), { description: 'CCREJECT-IF' }, 'AUTHORIZE');
    const answer = await client.post('denied', '/v2/checkout/orders', body, 'denied');
    const [authorization] = answer.json.purchase_units[0].payments.authorizations;
    expect(authorization).toMatchObject({ status: 'DENIED', processor_response: { response_code: '5120' } });
    const path = `/v2/payments/authorizations/${authorization.id}/capture`;
    expect(await client.post('denied', path)).toMatchObject(issue('AUTHORIZATION_DENIED'));
    expect(await statuses('denied')).toEqual([]);
  });

  test('of a wallet is made by the authorize call', async () => {
    const { json } = await client.post('wallet', '/v2/checkout/orders', order(walletSource, {}, 'AUTHORIZE'));
    await resolveOrder(client.deps, json.id, 'approved');
    const path = `/v2/checkout/orders/${json.id}`;
    expect(await client.post('wallet', `${path}/capture`)).toMatchObject(
      issue('ACTION_DOES_NOT_MATCH_INTENT'),
    );
    expect(await client.post('wallet', `${path}/authorize`, {}, 'a')).toMatchObject({
      status: 201,
      json: { purchase_units: [{ payments: { authorizations: [{ status: 'CREATED' }] } }] },
    });
    expect(await client.post('wallet', `${path}/authorize`)).toMatchObject(issue('ORDER_ALREADY_AUTHORIZED'));
    expect(await statuses('wallet')).toEqual(['authorized']);
  });
});
