import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, order, shopOf, type TestClient } from '../test-client.ts';
import { savingCard, savingWallet, vaulted, vaultOf } from './test-vault.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;
let vault: ReturnType<typeof vaultOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
  vault = vaultOf(client, shop);
});
afterAll(() => db.drop());

describe('the vault', () => {
  test('lists, shows and drops what an account keeps', async () => {
    const card = vaulted(await shop.create('list', order(savingCard())));
    client.clock.now = new Date(client.clock.now.getTime() + 1_000);
    const wallet = vaulted(await vault.payWallet('list', savingWallet('cus_1', true)));
    const list = `/v3/vault/payment-tokens?customer_id=${card.customer.id}`;
    expect(await client.get('list', `${list}&total_required=true`)).toMatchObject({
      status: 200,
      json: {
        total_items: 2,
        payment_tokens: [
          { id: card.id, payment_source: { card: { last_digits: '1111', expiry: '2030-03' } } },
          { id: wallet.id, payment_source: { paypal: { email_address: 'buyer@example.com' } } },
        ],
      },
    });
    const second = await client.get('list', `${list}&page_size=1&page=2`);
    expect(second.json.payment_tokens).toMatchObject([{ id: wallet.id }]);
    const path = `/v3/vault/payment-tokens/${card.id}`;
    expect(await client.get('list', path)).toMatchObject({ status: 200, json: { id: card.id } });
    expect(await client.get('other', path)).toMatchObject({ status: 404 });
    expect(await client.remove('other', path)).toMatchObject({ status: 404 });
    expect(await client.remove('list', path)).toMatchObject({ status: 204, text: '' });
    for (const again of [await client.remove('list', path), await client.get('list', path)]) {
      expect(again).toMatchObject({ status: 404 });
    }
    expect((await client.get('list', list)).json.payment_tokens).toHaveLength(1);
  });

  test.each([
    '',
    '?customer_id=',
    '?customer_id=a%20b',
    '?customer_id=1&page=0',
    '?customer_id=1&page_size=99',
  ])('refuses the query %j', async (query) => {
    expect((await client.get('query', `/v3/vault/payment-tokens${query}`)).status).toBe(400);
  });
});
