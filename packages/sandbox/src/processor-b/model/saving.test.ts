import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { resolveOrder } from '../orders/approval.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  shopOf,
  type TestClient,
  testPan,
  urls,
} from '../test-client.ts';
import {
  saving,
  savingCard,
  savingWallet,
  storedCard,
  storedWallet,
  vaulted,
  vaultOf,
} from '../vault/test-vault.ts';

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

type Fields = Readonly<Record<string, unknown>>;

describe('saving a card', () => {
  test('answers its token and its customer, who keeps the id', async () => {
    const [first, second] = [
      await shop.create('save', order(savingCard())),
      await shop.create('save', order(savingCard())),
    ];
    expect(vaulted(first)).toMatchObject({
      id: expect.stringMatching(/^[a-z0-9]{8,17}$/),
      status: 'VAULTED',
      customer: { id: expect.stringMatching(/^\d{10}$/) },
      links: [{ rel: 'self' }, { rel: 'delete', method: 'DELETE' }, { rel: 'up' }],
    });
    expect(vaulted(second).customer).toEqual(vaulted(first).customer);
    expect(vaulted(second).id).not.toBe(vaulted(first).id);
    const other = await shop.create('save', order(savingCard({}, 'cus_2')));
    expect(vaulted(other).customer).not.toEqual(vaulted(first).customer);
    const elsewhere = await shop.create('save-elsewhere', order(savingCard()));
    expect(vaulted(elsewhere).customer).not.toEqual(vaulted(first).customer);
    expect(vaulted(await client.get('save', `${ordersPath}/${first.json.id}`))).toEqual(vaulted(first));
  });

  test('reuses the customer that it names by the id of the upstream', async () => {
    const attributes = {
      vault: { store_in_vault: 'ON_SUCCESS' },
      customer: { id: '1234567890', merchant_customer_id: 'cus_9' },
    };
    const answer = await shop.create('named', order(cardSource({ attributes })));
    expect(vaulted(answer).customer).toEqual({ id: '1234567890' });
    const tokens = await client.get('named', '/v3/vault/payment-tokens?customer_id=1234567890');
    expect(tokens.json.payment_tokens).toMatchObject([{ id: vaulted(answer).id }]);
  });

  test('happens only where it was asked for and money was taken or held', async () => {
    expect(vaulted(await shop.create('only', order(cardSource())))).toBeUndefined();
    expect(vaulted(await shop.create('only', order(savingCard({ name: 'DECLINED' }))))).toBeUndefined();
    const held = await shop.create('only', order(savingCard(), {}, 'AUTHORIZE'));
    expect(vaulted(held).status).toBe('VAULTED');
  });

  test('keeps neither number nor security code', async () => {
    await vault.savedCard('secret', { name: `Ada ${testPan}`, security_code: '846' });
    const dump = await db.dump();
    expect(dump).not.toContain(testPan);
    expect(dump).not.toContain('security_code');
  });

  test('also works once the buyer has passed a challenge, and for card fields', async () => {
    const verification = { verification: { method: 'SCA_ALWAYS' } };
    const source = savingCard({ number: '4868719166101368' });
    const card = { ...(source.card as Fields) };
    const challenged = {
      card: { ...card, attributes: { ...(card.attributes as Fields), ...verification } },
    };
    const { json } = await shop.create('challenged', order(challenged));
    expect(json.status).toBe('PAYER_ACTION_REQUIRED');
    await resolveOrder(client.deps, json.id, 'approved');
    expect(vaulted(await shop.capture('challenged', json.id)).status).toBe('VAULTED');

    const fields = await shop.create('fields', order({ card: saving('cus_1') }));
    expect(fields.json.status).toBe('CREATED');
    const confirm = `${ordersPath}/${fields.json.id}/confirm-payment-source`;
    await client.post('fields', confirm, { payment_source: cardSource() });
    expect(vaulted(await shop.capture('fields', fields.json.id)).status).toBe('VAULTED');

    const late = await shop.create('fields', order(undefined));
    const path = `${ordersPath}/${late.json.id}/confirm-payment-source`;
    await client.post('fields', path, { payment_source: savingCard() });
    expect(vaulted(await shop.capture('fields', late.json.id)).status).toBe('VAULTED');
  });

  test.each([
    [{}, 'VAULT_INSTRUCTION_REQUIRED', 422],
    [{ store_in_vault: 'ON_FAILURE' }, 'INVALID_PARAMETER_VALUE', 400],
  ])('with %j is refused', async (instruction, name, status) => {
    const body = order(cardSource({ attributes: { vault: instruction } }));
    expect(await shop.create('invalid', body)).toMatchObject(issue(name, status));
  });

  test('follows its directives', async () => {
    const none = await shop.create('directives', order(savingCard({ name: 'SIM-SAVE-NONE' })));
    expect(captured(none).status).toBe('COMPLETED');
    expect(vaulted(none)).toBeUndefined();
    const body = order(savingCard(), { description: 'SIM-SAVE-REFUSED' });
    expect(await shop.create('directives', body)).toMatchObject(issue('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE'));
    expect(await shop.charges('directives')).toHaveLength(1);
    const plain = { ...body, payment_source: cardSource() };
    expect(await shop.create('directives', plain)).toMatchObject({ status: 201 });
    const fields = await shop.create('directives', order({ card: saving('cus_1') }));
    const confirm = `${ordersPath}/${fields.json.id}/confirm-payment-source`;
    const typed = { payment_source: cardSource({ name: 'SIM-SAVE-REFUSED' }) };
    expect(await client.post('directives', confirm, typed)).toMatchObject(
      issue('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE'),
    );
  });

  test('may bring its token later', async () => {
    const answer = await shop.create('late', order(savingCard({ name: 'SIM-SAVE-LATE' })));
    expect(vaulted(answer)).toEqual({ status: 'APPROVED', customer: { id: expect.any(String) } });
    const list = `/v3/vault/payment-tokens?customer_id=${vaulted(answer).customer.id}`;
    expect((await client.get('late', list)).json.payment_tokens).toEqual([]);
    await client.sendDue('late', 4_999);
    expect(client.deliveries.map(({ event }) => event.event_type)).not.toContain(
      'VAULT.PAYMENT-TOKEN.CREATED',
    );
    await client.sendDue('late', 1);
    const { resource } = client.deliveries.at(-1)?.event ?? {};
    expect(resource).toMatchObject({
      customer: { id: vaulted(answer).customer.id },
      metadata: { order_id: answer.json.id },
    });
    expect((await client.get('late', list)).json.payment_tokens).toMatchObject([{ id: resource.id }]);
    expect(await shop.create('late', order(storedCard(resource.id)))).toMatchObject({ status: 201 });
  });
});

describe('saving a wallet', () => {
  test('again gives the same token, or one for each customer', async () => {
    const token = async (customer: string, perCustomer: boolean) =>
      vaulted(await vault.payWallet('wallet', savingWallet(customer, perCustomer)));
    const shared = await token('cus_1', false);
    expect(shared).toMatchObject({ id: expect.stringMatching(/^[a-z0-9]{8,17}$/), status: 'VAULTED' });
    expect(await token('cus_2', false)).toMatchObject({ id: shared.id, customer: shared.customer });
    const second = await token('cus_2', true);
    expect(second.id).not.toBe(shared.id);
    expect((await token('cus_2', true)).id).toBe(second.id);
    await client.remove('wallet', `/v3/vault/payment-tokens/${second.id}`);
    const third = await token('cus_2', true);
    expect(third.id).not.toBe(second.id);
    expect(await shop.create('wallet', order(storedWallet(third.id)))).toMatchObject({ status: 201 });
  });

  test('at the same moment comes to one token', async () => {
    const source = savingWallet('cus_1', true);
    const answers = await Promise.all(Array.from({ length: 5 }, () => vault.payWallet('wallets', source)));
    expect(new Set(answers.map((answer) => vaulted(answer).id)).size).toBe(1);
  });

  test('needs a usage type', async () => {
    const source = { paypal: saving('cus_1', { experience_context: urls }) };
    expect(await shop.create('usage', order(source))).toMatchObject(issue('MISSING_REQUIRED_PARAMETER', 400));
  });
});
