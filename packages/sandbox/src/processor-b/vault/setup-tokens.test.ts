import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandboxPages } from '../../pages.ts';
import { resolveApproval } from '../../simulators.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  captured,
  createTestClient,
  issue,
  order,
  shopOf,
  type TestClient,
  testPan,
  urls,
} from '../test-client.ts';
import { byMerchant, storedCard } from './test-vault.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

const setups = '/v3/vault/setup-tokens';
const tokens = '/v3/vault/payment-tokens';
const card = { number: testPan, expiry: '2030-03', security_code: '737', name: 'Ada Lovelace' };
const wallet = { experience_context: { ...urls, brand_name: 'Acme' }, usage_type: 'MERCHANT' };

let keys = 0;
const key = () => {
  keys += 1;
  return `setup-${keys}`;
};
const setUp = (account: string, payment_source: object, requestId: string | undefined = key()) =>
  client.post(account, setups, { customer: { id: 'customer_1' }, payment_source }, requestId);
const confirm = (account: string, id: string, requestId = key()) =>
  client.post(account, tokens, { payment_source: { token: { id, type: 'SETUP_TOKEN' } } }, requestId);

describe('a setup token', () => {
  test('of a card is approved at once and becomes a payment token that can be charged', async () => {
    const made = await setUp('card', { card });
    expect(made).toMatchObject({
      status: 201,
      json: {
        status: 'APPROVED',
        customer: { id: 'customer_1' },
        payment_source: { card: { last_digits: '1111', brand: 'VISA' } },
      },
    });
    const kept = await confirm('card', made.json.id);
    expect(kept).toMatchObject({ status: 201, json: { customer: { id: 'customer_1' } } });
    expect((await client.get('card', `${tokens}/${kept.json.id}`)).json).toEqual(kept.json);
    const charged = await shop.create('card', order(storedCard(kept.json.id, byMerchant)));
    expect(captured(charged).status).toBe('COMPLETED');
    expect(await shop.charges('card')).toMatchObject([{ amount: 1999, status: 'captured' }]);
  });

  test('is a new one under a request id whose token has expired', async () => {
    const requestId = key();
    await setUp('expired', { card }, requestId);
    client.clock.now = new Date(client.clock.now.getTime() + 73 * 3_600_000);
    const made = await setUp('expired', { card }, requestId);
    expect(made).toMatchObject({ status: 201, json: { status: 'APPROVED' } });
    expect(await confirm('expired', made.json.id)).toMatchObject({ status: 201 });
  });

  test('keeps neither the number nor the security code', async () => {
    await setUp('secret', { card: { ...card, security_code: '951', name: `Ada ${testPan}` } });
    const { rows } = await db.pool.query(
      "select body::text from sandbox.documents where kind = 'setup_token'",
    );
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(testPan);
    expect(stored).not.toContain('951');
  });

  test('under one request id is one, and becomes one payment token', async () => {
    const requestId = key();
    const first = await setUp('repeat', { card }, requestId);
    const again = await setUp('repeat', { card }, requestId);
    expect([again.status, again.json]).toEqual([200, first.json]);
    const kept = await Promise.all([confirm('repeat', first.json.id), confirm('repeat', first.json.id)]);
    expect(kept.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(kept[0]?.json).toEqual(kept[1]?.json);
    await client.sendDue('repeat', 5_000);
    const notified = client.deliveries.filter(({ event }) => event.resource.id === kept[0]?.json.id);
    expect(notified.map(({ event }) => event.event_type)).toEqual(['VAULT.PAYMENT-TOKEN.CREATED']);
  });

  test('of a wallet waits for its buyer, on a page or by the helper', async () => {
    const made = await setUp('wallet', { paypal: wallet });
    expect(made.json).toMatchObject({ status: 'PAYER_ACTION_REQUIRED', payment_source: { paypal: {} } });
    expect(await confirm('wallet', made.json.id)).toMatchObject(issue('SETUP_TOKEN_NOT_APPROVED'));
    const { href } = made.json.links.find(({ rel }: { rel: string }) => rel === 'approve');
    const pages = createSandboxPages(client.deps);
    const visit = (method: string, url: string, body = '') =>
      pages.handle({ method, url, headers: {}, body: Buffer.from(body) });
    const page = (await visit('GET', href)).body.toString();
    expect(page).toContain('Let Acme charge this wallet later?');
    expect(page).not.toContain('Amount');
    expect((await visit('POST', href, 'action=approve')).status).toBe(303);
    expect((await visit('GET', `${href}/return`)).body.toString()).toContain(
      `approval_token_id=${made.json.id}`,
    );
    expect((await client.get('wallet', `${setups}/${made.json.id}`)).json).toMatchObject({
      status: 'APPROVED',
      payment_source: { paypal: { email_address: 'buyer@example.com' } },
    });
    expect((await confirm('wallet', made.json.id)).status).toBe(201);
    const other = await setUp('wallet', { paypal: wallet });
    const declined = await resolveApproval(client.deps, other.json.id, 'declined');
    expect(declined?.returnUrl).toContain('cancel=1');
    const approved = await resolveApproval(client.deps, other.json.id, 'approved');
    expect(approved?.returnUrl).toContain('kept=1');
  });

  test('is unknown to other accounts, and after three days', async () => {
    const made = await setUp('mine', { card });
    const path = `${setups}/${made.json.id}`;
    expect((await client.get('other', path)).status).toBe(404);
    expect(await confirm('other', made.json.id)).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
    await client.sendDue('mine', 73 * 60 * 60 * 1000);
    expect((await client.get('mine', path)).status).toBe(404);
    expect(await confirm('mine', made.json.id)).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
  });

  test.each<[string, object, string, number]>([
    ['without a card number', { card: { expiry: '2030-03' } }, 'CARD_NUMBER_REQUIRED', 422],
    ['of an expired card', { card: { ...card, expiry: '2020-01' } }, 'CARD_EXPIRED', 422],
    ['of a wallet without a way back', { paypal: {} }, 'MISSING_REQUIRED_PARAMETER', 400],
    ['of nothing', {}, 'INVALID_PARAMETER_VALUE', 400],
  ])('%s is refused', async (_what, source, name, status) => {
    expect(await setUp('refused', source)).toMatchObject(issue(name, status));
  });

  test('needs a request id, and a payment token needs a setup token', async () => {
    const body = { payment_source: { card } };
    expect(await client.post('needs', setups, body)).toMatchObject(issue('MISSING_REQUIRED_PARAMETER', 400));
    expect(await client.post('needs', tokens, body, key())).toMatchObject({ status: 400 });
    const agreement = { payment_source: { token: { id: 'B-1', type: 'BILLING_AGREEMENT' } } };
    expect(await client.post('needs', tokens, agreement, key())).toMatchObject(
      issue('INVALID_PARAMETER_VALUE', 400),
    );
  });
});

describe('the webhook of an account', () => {
  test('is shown under its own id alone', async () => {
    expect(await client.get('SHOP', '/v1/notifications/webhooks/hookSHOP')).toMatchObject({
      status: 200,
      json: {
        id: 'hookSHOP',
        url: 'https://till.example/processors/b/notifications/SHOP',
        event_types: [{ name: '*' }],
      },
    });
    expect((await client.get('SHOP', '/v1/notifications/webhooks/hookOTHER')).status).toBe(404);
  });
});
