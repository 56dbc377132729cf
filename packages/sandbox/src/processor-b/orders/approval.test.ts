import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  payerAction,
  referenceOf,
  shopOf,
  type TestClient,
  walletSource,
  withSca,
} from '../test-client.ts';
import { resolveOrder } from './approval.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

describe('a wallet', () => {
  test('waits for the buyer, then is charged by the capture call', async () => {
    const body = order(walletSource);
    const created = await shop.create('wallet', body);
    const { id } = created.json;
    expect(created.json).toMatchObject({ status: 'PAYER_ACTION_REQUIRED' });
    expect(payerAction(created)).toBe(`https://till.example/sandbox/processor-b/approve/${id}`);
    expect(await shop.capture('wallet', id, 'k')).toMatchObject(issue('ORDER_NOT_APPROVED'));
    const resolved = await resolveOrder(client.deps, id, 'approved');
    expect(resolved?.returnUrl).toMatch(
      new RegExp(
        `^https://till.example/checkout/return/token\\?kept=1&token=${id}&PayerID=[2-9A-HJ-NP-Z]{13}$`,
      ),
    );
    expect(await resolveOrder(client.deps, id, 'abandoned')).toEqual(resolved);
    expect((await client.get('wallet', `${ordersPath}/${id}`)).json.status).toBe('APPROVED');
    expect(await shop.charges('wallet')).toEqual([]);
    const paid = await shop.capture('wallet', id, 'k');
    expect(paid).toMatchObject({ status: 201, json: { status: 'COMPLETED' } });
    expect(captured(paid)).not.toHaveProperty('processor_response');
    expect(await shop.capture('wallet', id, 'k')).toMatchObject({ status: 200, text: paid.text });
    expect(await shop.capture('wallet', id)).toMatchObject(issue('ORDER_ALREADY_CAPTURED'));
    expect(await shop.charges('wallet')).toEqual([
      { reference: referenceOf(body), amount: 1999, currency: 'EUR', status: 'captured' },
    ]);
  });

  test('captured many times at once is charged once', async () => {
    const { json } = await shop.create(
      'wallet-race',
      order(walletSource, { description: 'SIM-WALLET-APPROVE' }),
    );
    const answers = await Promise.all(Array.from({ length: 12 }, () => shop.capture('wallet-race', json.id)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await shop.charges('wallet-race')).toHaveLength(1);
  });

  test('that the buyer cancels can still be approved', async () => {
    const { json } = await shop.create('cancelled', order(walletSource));
    expect(await resolveOrder(client.deps, json.id, 'abandoned')).toEqual({
      returnUrl: `https://till.example/checkout/return/token?cancel=1&token=${json.id}`,
    });
    expect(await shop.capture('cancelled', json.id)).toMatchObject(issue('ORDER_NOT_APPROVED'));
    await resolveOrder(client.deps, json.id, 'approved');
    expect(await shop.capture('cancelled', json.id)).toMatchObject({ status: 201 });
  });

  test('that the buyer declines, or whose directive does, is refused at capture', async () => {
    const bodies = [order(walletSource), order(walletSource, { description: 'SIM-WALLET-DECLINED' })];
    for (const [index, body] of bodies.entries()) {
      const { json } = await shop.create('funding', body);
      const resolved = await resolveOrder(client.deps, json.id, index === 0 ? 'declined' : 'approved');
      expect(resolved?.returnUrl).toContain('PayerID=');
      expect(await shop.capture('funding', json.id)).toMatchObject(issue('INSTRUMENT_DECLINED'));
    }
    expect(await shop.charges('funding')).toEqual([]);
  });

  test('follows its directives', async () => {
    const none = await shop.create(
      'directives',
      order(walletSource, { description: 'SIM-WALLET-NO-APPROVAL-URL' }),
    );
    expect(none.json.status).toBe('PAYER_ACTION_REQUIRED');
    expect(payerAction(none)).toBeUndefined();
    const never = await shop.create('directives', order(walletSource, { description: 'SIM-WALLET-NEVER' }));
    expect(await resolveOrder(client.deps, never.json.id, 'approved')).toBeNull();
    expect(await shop.capture('directives', never.json.id)).toMatchObject(issue('ORDER_NOT_APPROVED'));
    const declined = await shop.create('directives', order(walletSource, { description: 'CCREJECT-IF' }));
    await resolveOrder(client.deps, declined.json.id, 'approved');
    expect(captured(await shop.capture('directives', declined.json.id))).toMatchObject({
      status: 'DECLINED',
      processor_response: { response_code: '5120' },
    });
  });

  test('is gone after three hours without approval', async () => {
    const later = createTestClient(db.pool);
    const { json } = await later.post('late', ordersPath, order(walletSource));
    later.clock.now = new Date(later.clock.now.getTime() + 3 * 3_600_000 + 1000);
    expect(await later.get('late', `${ordersPath}/${json.id}`)).toMatchObject(
      issue('INVALID_RESOURCE_ID', 404),
    );
    expect(await resolveOrder(later.deps, json.id, 'approved')).toBeNull();
  });
});

describe('card fields', () => {
  test.each([
    ['without a source', undefined],
    ['with an empty card', { card: {} }],
  ])('%s take the card later', async (_what, source) => {
    const { json } = await shop.create('fields', order(source));
    expect(json.status).toBe('CREATED');
    expect(await shop.capture('fields', json.id)).toMatchObject(issue('ORDER_NOT_APPROVED'));
    const confirm = `${ordersPath}/${json.id}/confirm-payment-source`;
    expect(await client.post('fields', confirm, { payment_source: { card: {} } })).toMatchObject(
      issue('CARD_NUMBER_REQUIRED'),
    );
    const confirmed = await client.post('fields', confirm, { payment_source: cardSource() });
    expect(confirmed).toMatchObject({ status: 200, json: { status: 'APPROVED' } });
    const paid = await shop.capture('fields', json.id);
    expect(captured(paid)).toMatchObject({
      status: 'COMPLETED',
      processor_response: { response_code: '0000' },
    });
    expect(paid.json.payment_source.card.last_digits).toBe('1111');
    expect(await client.post('fields', confirm, { payment_source: cardSource() })).toMatchObject(
      issue('ORDER_ALREADY_CAPTURED'),
    );
  });

  test('may ask the buyer to authenticate, and another card for again', async () => {
    const { json } = await shop.create('fields-sca', order(undefined));
    const confirm = `${ordersPath}/${json.id}/confirm-payment-source`;
    const source = { payment_source: withSca('SCA_ALWAYS') };
    const confirmed = await client.post('fields-sca', confirm, source);
    expect(confirmed.json.status).toBe('PAYER_ACTION_REQUIRED');
    expect(payerAction(confirmed)).toBe(`https://till.example/sandbox/processor-b/challenge/${json.id}`);
    await resolveOrder(client.deps, json.id, 'failed');
    expect((await client.get('fields-sca', `${ordersPath}/${json.id}`)).json.status).toBe('APPROVED');
    await client.post('fields-sca', confirm, source);
    await resolveOrder(client.deps, json.id, 'approved');
    const paid = await shop.capture('fields-sca', json.id);
    expect(captured(paid).status).toBe('COMPLETED');
    expect(paid.json.payment_source.card.authentication_result.liability_shift).toBe('POSSIBLE');
  });

  test('are filled in by a directive, and decline by another', async () => {
    const { json } = await shop.create('filled', order(undefined, { description: 'SIM-CARDFIELDS-APPROVE' }));
    expect(json.status).toBe('CREATED');
    expect(captured(await shop.capture('filled', json.id)).status).toBe('COMPLETED');
    const declined = await shop.create('filled', order(undefined, { description: 'DECLINED' }));
    const confirm = `${ordersPath}/${declined.json.id}/confirm-payment-source`;
    await client.post('filled', confirm, { payment_source: withSca('SCA_ALWAYS') });
    expect(captured(await shop.capture('filled', declined.json.id)).status).toBe('DECLINED');
  });
});
