import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReceived } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  type OrderBody,
  order,
  ordersPath,
  payerAction,
  referenceOf,
  shopOf,
  type TestClient,
  testPan,
  urls,
} from '../test-client.ts';
import {
  byCustomer,
  byMerchant,
  savingCard,
  storedCard,
  storedWallet,
  vaulted,
  vaultOf,
} from '../vault/test-vault.ts';
import { resolveOrder } from './approval.ts';

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

describe('a saved card', () => {
  test('is charged by the create call, under a request id', async () => {
    const token = await vault.savedCard('charge');
    const body = order(storedCard(token));
    expect(await client.post('charge', ordersPath, body)).toMatchObject(
      issue('PAYPAL_REQUEST_ID_REQUIRED', 400),
    );
    const answer = await shop.create('charge', body, 'once');
    expect(answer).toMatchObject({
      status: 201,
      json: { status: 'COMPLETED', payment_source: { card: { last_digits: '1111', brand: 'VISA' } } },
    });
    expect(captured(answer)).toMatchObject({
      status: 'COMPLETED',
      network_transaction_reference: { id: expect.any(String), network: 'VISA' },
    });
    expect(await shop.create('charge', body, 'once')).toMatchObject({ status: 200, text: answer.text });
    expect(await shop.charges('charge')).toHaveLength(2);
    expect(await readReceived(db.pool, 'charge', referenceOf(body))).toMatchObject([
      { payment_source: { card: { vault_id: token, stored_credential: byMerchant } } },
    ]);
  });

  test('is held where the order asks for it', async () => {
    const token = await vault.savedCard('hold');
    const { json } = await shop.create('hold', order(storedCard(token), {}, 'AUTHORIZE'));
    expect(json.purchase_units[0].payments.authorizations).toMatchObject([
      { status: 'CREATED', network_transaction_reference: { network: 'VISA' } },
    ]);
  });

  test('is unknown after its removal, to other accounts, and as a wallet', async () => {
    const token = await vault.savedCard('gone');
    const charge = (account: string, source: unknown) => shop.create(account, order(source));
    expect(await charge('other', storedCard(token))).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
    expect(await charge('gone', storedCard('0123456789abcdef'))).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
    expect(await charge('gone', storedWallet(token))).toMatchObject(
      issue('MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE'),
    );
    const paid = order(storedCard(token));
    const first = await shop.create('gone', paid, 'paid');
    expect((await client.remove('gone', `/v3/vault/payment-tokens/${token}`)).status).toBe(204);
    expect(await charge('gone', storedCard(token))).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
    expect(await shop.create('gone', paid, 'paid')).toMatchObject({ status: 200, text: first.text });
    expect(await shop.charges('gone')).toHaveLength(2);
  });

  test.each<[string, Fields, string, number]>([
    [
      'a merchant with a security code',
      storedCard('', byMerchant, { security_code: '737' }),
      'MERCHANT_INITIATED_WITH_SECURITY_CODE',
      422,
    ],
    [
      'a merchant with verification',
      storedCard('', byMerchant, { attributes: { verification: { method: 'SCA_ALWAYS' } } }),
      'INCOMPATIBLE_PARAMETER_VALUE',
      422,
    ],
    [
      'a merchant once',
      storedCard('', { ...byMerchant, payment_type: 'ONE_TIME' }),
      'INCOMPATIBLE_PARAMETER_VALUE',
      422,
    ],
    [
      'a merchant first',
      storedCard('', { ...byMerchant, usage: 'FIRST' }),
      'INCOMPATIBLE_PARAMETER_VALUE',
      422,
    ],
    [
      'a customer with an earlier reference',
      storedCard('', { ...byCustomer, previous_network_transaction_reference: { id: '123456789' } }),
      'INCOMPATIBLE_PARAMETER_VALUE',
      422,
    ],
    [
      'a merchant with a reference without date',
      storedCard('', {
        ...byMerchant,
        previous_network_transaction_reference: { id: '123456789', network: 'MASTERCARD' },
      }),
      'MISSING_REQUIRED_PARAMETER',
      400,
    ],
    [
      'a merchant with a short reference',
      storedCard('', { ...byMerchant, previous_network_transaction_reference: { id: '1234' } }),
      'INVALID_STRING_LENGTH',
      400,
    ],
    ['nobody', storedCard('', { payment_type: 'RECURRING' }), 'MISSING_REQUIRED_PARAMETER', 400],
    ['no type', storedCard('', { payment_initiator: 'MERCHANT' }), 'MISSING_REQUIRED_PARAMETER', 400],
    [
      'a customer with a number',
      storedCard('', byCustomer, { number: testPan }),
      'INCOMPATIBLE_PARAMETER_VALUE',
      422,
    ],
  ])('is not charged for %s', async (_, source, name, status) => {
    const token = await vault.savedCard('rules');
    const body = order({ card: { ...(source.card as Fields), vault_id: token } });
    expect(await shop.create('rules', body)).toMatchObject(issue(name, status));
    expect((await shop.charges('rules')).map(({ reference }) => reference)).not.toContain(referenceOf(body));
  });

  test('meets its challenge only where the customer is there and 3-D Secure is asked for', async () => {
    const token = await vault.savedCard('sca', { number: '4868719166101368' });
    const attributes = { verification: { method: 'SCA_WHEN_REQUIRED' } };
    const present = storedCard(token, byCustomer, { attributes, experience_context: urls });
    const answer = await shop.create('sca', order(present));
    expect(answer.json.status).toBe('PAYER_ACTION_REQUIRED');
    expect(payerAction(answer)).toContain('/sandbox/processor-b/challenge/');
    await resolveOrder(client.deps, answer.json.id, 'approved');
    const paid = await shop.capture('sca', answer.json.id);
    expect(captured(paid).status).toBe('COMPLETED');
    expect(paid.json.payment_source.card.authentication_result.liability_shift).toBe('POSSIBLE');
    for (const source of [storedCard(token), storedCard(token, byCustomer)]) {
      expect((await shop.create('sca', order(source))).json.status).toBe('COMPLETED');
    }
  });

  test('in front of its challenge can be replaced by another card', async () => {
    const token = await vault.savedCard('other-card', {
      number: '4868719166101368',
      name: 'SIM-MIT-REVOKED',
    });
    const attributes = { verification: { method: 'SCA_WHEN_REQUIRED' } };
    const present = storedCard(token, byCustomer, { attributes, experience_context: urls });
    const { json } = await shop.create('other-card', order(present));
    const confirm = `${ordersPath}/${json.id}/confirm-payment-source`;
    await client.post('other-card', confirm, { payment_source: cardSource() });
    const paid = await shop.capture('other-card', json.id);
    expect(captured(paid).status).toBe('COMPLETED');
    expect(paid.json.payment_source.card.last_digits).toBe('1111');
  });

  test('that has expired is declined', async () => {
    const own = createTestClient(db.pool);
    const body = order(savingCard({ expiry: '2026-12' }));
    const saved = await own.post('expired', ordersPath, body, 'saved');
    own.clock.now = new Date('2027-01-01T00:00:00Z');
    const source = storedCard(vaulted(saved).id);
    const answer = await own.post('expired', ordersPath, order(source), 'later');
    expect(captured(answer)).toMatchObject({
      status: 'DECLINED',
      processor_response: { response_code: '5400' },
    });
  });

  test('has its security code checked where the customer types it again', async () => {
    const token = await vault.savedCard('cvc', { security_code: '116' });
    const codes = await Promise.all(
      [{ security_code: '115' }, {}].map(async (change) => {
        const answer = await shop.create('cvc', order(storedCard(token, byCustomer, change)));
        return captured(answer).processor_response.cvv_code;
      }),
    );
    expect(codes).toEqual(['M', 'X']);
  });

  test('follows the directive of the payment that saved it, and its own first', async () => {
    const token = await vault.savedCard('kept', { name: 'SIM-MIT-DECLINE' });
    const charge = (source: unknown, change: Fields = {}) => shop.create('kept', order(source, change));
    expect(captured(await charge(storedCard(token))).processor_response.response_code).toBe('5120');
    expect(captured(await charge(storedCard(token, byCustomer))).status).toBe('COMPLETED');
    const own = await charge(storedCard(token), { description: 'CCREJECT-EC' });
    expect(captured(own).processor_response.response_code).toBe('5400');
    expect(captured(await charge(storedCard(token))).status).toBe('DECLINED');
    expect(await shop.charges('kept')).toHaveLength(2);
  });

  test('that was revoked dies by the first charge of the merchant', async () => {
    const token = await vault.savedCard('revoked', { name: 'SIM-MIT-REVOKED' });
    const charge = (source: unknown) => shop.create('revoked', order(source));
    expect(captured(await charge(storedCard(token, byCustomer))).status).toBe('COMPLETED');
    expect(captured(await charge(storedCard(token)))).toMatchObject({
      status: 'DECLINED',
      processor_response: { response_code: '9510', payment_advice_code: '21' },
    });
    expect(await charge(storedCard(token, byCustomer))).toMatchObject(issue('TOKEN_ID_NOT_FOUND'));
    expect(await client.get('revoked', `/v3/vault/payment-tokens/${token}`)).toMatchObject({ status: 404 });
  });

  test('meets the fault of its description', async () => {
    const token = await vault.savedCard('fault');
    const body = order(storedCard(token), { description: 'SIM-500-DONE' });
    expect((await shop.create('fault', body, 'key')).status).toBe(500);
    expect(await shop.create('fault', body, 'key')).toMatchObject({ status: 200 });
    expect(await shop.charges('fault')).toHaveLength(2);
  });
});

describe('a saved wallet', () => {
  const charge = (account: string, body: OrderBody) => shop.create(account, body);

  test('is charged by the create call', async () => {
    const token = await vault.savedWallet('paypal');
    for (const initiator of ['MERCHANT', 'CUSTOMER']) {
      const answer = await charge('paypal', order(storedWallet(token, initiator)));
      expect(answer).toMatchObject({
        status: 201,
        json: { status: 'COMPLETED', payment_source: { paypal: { email_address: 'buyer@example.com' } } },
      });
      expect(captured(answer).status).toBe('COMPLETED');
    }
    expect(await charge('paypal', order(storedCard(token)))).toMatchObject(
      issue('MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE'),
    );
    const wrong = { paypal: { vault_id: token, stored_credential: { ...byMerchant, usage: 'FIRST' } } };
    expect(await charge('paypal', order(wrong))).toMatchObject(issue('INCOMPATIBLE_PARAMETER_VALUE'));
    expect(await shop.charges('paypal')).toHaveLength(3);
  });

  test('follows the directive of the payment that saved it', async () => {
    const poor = await vault.savedWallet('poor', { description: 'SIM-MIT-DECLINE' });
    expect(await charge('poor', order(storedWallet(poor)))).toMatchObject(issue('INSTRUMENT_DECLINED'));
    expect(await charge('poor', order(storedWallet(poor, 'CUSTOMER')))).toMatchObject({ status: 201 });
    const ended = await vault.savedWallet('ended', { description: 'SIM-MIT-REVOKED' });
    for (const initiator of ['MERCHANT', 'MERCHANT', 'CUSTOMER']) {
      expect(await charge('ended', order(storedWallet(ended, initiator)))).toMatchObject(
        issue('AGREEMENT_ALREADY_CANCELLED'),
      );
    }
    expect(await shop.charges('ended')).toHaveLength(1);
  });
});
