import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { resolveOrder } from '../orders/approval.ts';
import {
  cardSource,
  createTestClient,
  issue,
  order,
  shopOf,
  type TestClient,
  walletSource,
} from '../test-client.ts';

const dayMs = 24 * 60 * 60 * 1000;
let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/**
 * Makes a wallet's hold, with a client and clock of its own for each test.
 * @returns its id
 */
async function hold(account: string): Promise<string> {
  client = createTestClient(db.pool);
  shop = shopOf(client);
  const { json } = await shop.create(account, order(walletSource, {}, 'AUTHORIZE'));
  await resolveOrder(client.deps, json.id, 'approved');
  const paid = await client.post(account, `/v2/checkout/orders/${json.id}/authorize`, {}, `a-${account}`);
  return paid.json.purchase_units[0].payments.authorizations[0].id;
}

const path = (id: string) => `/v2/payments/authorizations/${id}`;
const again = (account: string, id: string, body: object = {}, requestId?: string) =>
  client.post(account, `${path(id)}/reauthorize`, body, requestId);
const euro = (value: string) => ({ currency_code: 'EUR', value });

describe('a reauthorization', () => {
  test('is a hold under a new id, guaranteed anew, and the same line of the ledger', async () => {
    const id = await hold('anew');
    const first = (await client.get('anew', path(id))).json;
    await client.sendDue('anew', 4 * dayMs);
    const { status, json } = await again('anew', id, { amount: euro('22.00') }, 'r-1');
    expect(status).toBe(201);
    expect(json).toMatchObject({
      status: 'CREATED',
      amount: euro('22.00'),
      create_time: '2026-12-05T12:00:00Z',
      expiration_time: first.expiration_time,
    });
    expect(json.id).not.toBe(id);
    expect(await again('anew', id, { amount: euro('22.00') }, 'r-1')).toMatchObject({
      status: 200,
      json: { id: json.id },
    });
    expect((await client.get('anew', path(id))).status).toBe(404);
    expect(await shop.charges('anew')).toMatchObject([{ status: 'authorized', amount: 2200 }]);
    await client.sendDue('anew', 5_000);
    const notified = client.deliveries.filter(({ event }) => event.resource.id === json.id);
    expect(notified.map(({ event }) => event.event_type)).toEqual(['PAYMENT.AUTHORIZATION.CREATED']);
    await client.post('anew', `${path(json.id)}/capture`);
    expect(await shop.charges('anew')).toMatchObject([{ status: 'captured', amount: 2200 }]);
  });

  test('is refused too early, too late, twice, and beyond 115 %', async () => {
    const id = await hold('refused');
    expect(await again('refused', id)).toMatchObject(issue('REAUTHORIZATION_NOT_SUPPORTED'));
    await client.sendDue('refused', 3 * dayMs);
    expect(await again('refused', id, { amount: euro('23.00') })).toMatchObject(issue('PAYER_CANNOT_PAY'));
    expect(await again('refused', id, { amount: { currency_code: 'USD', value: '1.00' } })).toMatchObject(
      issue('AUTH_CURRENCY_MISMATCH'),
    );
    const { json } = await again('refused', id);
    await client.sendDue('refused', 4 * dayMs);
    expect(await again('refused', json.id)).toMatchObject(issue('REAUTHORIZATION_NOT_SUPPORTED'));
    await client.sendDue('refused', 22 * dayMs);
    expect(await again('refused', json.id)).toMatchObject(issue('AUTHORIZATION_EXPIRED'));
  });

  test('is none of a card, nor of a hold that was captured or voided', async () => {
    const id = await hold('captured');
    await client.post('captured', `${path(id)}/capture`);
    expect(await again('captured', id)).toMatchObject(issue('AUTHORIZATION_ALREADY_CAPTURED'));
    const voided = await hold('voided');
    await client.post('voided', `${path(voided)}/void`);
    expect(await again('voided', voided)).toMatchObject(issue('AUTHORIZATION_VOIDED'));
    const card = await shop.create('card', order(cardSource(), {}, 'AUTHORIZE'));
    await client.sendDue('card', 4 * dayMs);
    const [{ id: ofCard }] = card.json.purchase_units[0].payments.authorizations;
    expect(await again('card', ofCard)).toMatchObject(issue('REAUTHORIZATION_NOT_SUPPORTED'));
  });
});
