import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disputeDirectives } from '../../directives/dispute-directives.ts';
import { refundDirectives } from '../../directives/refund-directives.ts';
import { resolveApproval } from '../../simulators.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  type Answer,
  captured,
  cardSource,
  createTestClient,
  order,
  ordersPath,
  shopOf,
  type TestClient,
  urls,
  walletSource,
} from '../test-client.ts';
import { createValidator, missing, missingNote, type Validate } from '../test-contract.ts';
import {
  byCustomer,
  byMerchant,
  savingCard,
  savingWallet,
  storedCard,
  vaulted,
  vaultOf,
} from '../vault/test-vault.ts';

describe.skipIf(missing.length > 0)(
  `what follows a payment keeps to the published documents${missingNote}`,
  () => {
    let db: TestDatabase;
    let client: TestClient;
    let shop: ReturnType<typeof shopOf>;
    let vault: ReturnType<typeof vaultOf>;
    let problems: Validate;
    const account = 'contract';

    beforeAll(async () => {
      db = await createTestDatabase();
      client = createTestClient(db.pool);
      shop = shopOf(client);
      vault = vaultOf(client, shop);
      problems = createValidator();
    });
    afterAll(() => db.drop());

    function expectValid(
      document: Parameters<Validate>[0],
      schema: string,
      { status, json, text }: Answer,
    ): void {
      expect(status).toBeLessThan(300);
      expect(problems(document, schema, json), text).toEqual([]);
    }

    test('the validator does refuse', () => {
      expect(problems('vault', 'payment_token_response', { id: '' })).not.toEqual([]);
      expect(problems('payments', 'refund', { status: 'DONE' })).not.toEqual([]);
      expect(problems('disputes', 'dispute', { status: 'DONE' })).not.toEqual([]);
      expect(problems('webhooks', 'verify_webhook_signature_response', {})).not.toEqual([]);
    });

    test('for orders that are kept, and that are paid by what was kept', async () => {
      const requests = [
        savingCard(),
        savingWallet('cus_1', true),
        storedCard('abc'),
        storedCard('abc', byCustomer),
      ];
      for (const source of requests) {
        expect(problems('orders', 'order_request', order(source))).toEqual([]);
      }
      for (const name of ['Ada Lovelace', 'SIM-SAVE-LATE', 'SIM-SAVE-NONE', 'SIM-MIT-REVOKED']) {
        expectValid('orders', 'order', await shop.create(account, order(savingCard({ name }))));
      }
      expectValid('orders', 'order', await vault.payWallet(account, savingWallet('cus_1', true)));
      const token = await vault.savedCard(account, { name: 'SIM-MIT-REVOKED' });
      for (const credential of [byCustomer, byMerchant]) {
        expectValid('orders', 'order', await shop.create(account, order(storedCard(token, credential))));
      }
      const gone = await shop.create(account, order(storedCard(token)));
      expect(gone.status).toBe(422);
      expect(problems('orders', 'error_422', gone.json), gone.text).toEqual([]);
      expect(problems('orders', 'orders.capture-422', gone.json), gone.text).toEqual([]);
      const refused = await shop.create(account, order(savingCard({ name: 'SIM-SAVE-REFUSED' })));
      expect(problems('orders', '422', refused.json), refused.text).toEqual([]);
    });

    test('for the vault', async () => {
      const saved = vaulted(await shop.create(account, order(savingCard({ name: 'SIM-MIT-DECLINE' }))));
      await vault.savedWallet(account);
      const list = `/v3/vault/payment-tokens?customer_id=${saved.customer.id}&total_required=true`;
      const listed = await client.get(account, list);
      expectValid('vault', 'customer_vault_payment_tokens_response', listed);
      for (const { id } of listed.json.payment_tokens) {
        expectValid(
          'vault',
          'payment_token_response',
          await client.get(account, `/v3/vault/payment-tokens/${id}`),
        );
      }
      const unknown = await client.get(account, '/v3/vault/payment-tokens/unknown');
      expect(problems('vault', 'error_404', unknown.json), unknown.text).toEqual([]);
    });

    test('for setup tokens and the webhook', async () => {
      const card = {
        number: '4111111111111111',
        expiry: '2030-03',
        security_code: '737',
        name: 'Ada Lovelace',
      };
      const paypal = { usage_type: 'MERCHANT', experience_context: urls };
      for (const payment_source of [{ card }, { paypal }]) {
        const request = { customer: { id: 'customer_1' }, payment_source };
        expect(problems('vault', 'setup_token_request', request)).toEqual([]);
        const made = await client.post(
          account,
          '/v3/vault/setup-tokens',
          request,
          JSON.stringify(request).slice(0, 90),
        );
        expectValid('vault', 'setup_token_response', made);
        const path = `/v3/vault/setup-tokens/${made.json.id}`;
        expectValid('vault', 'setup_token_response', await client.get(account, path));
        await resolveApproval(client.deps, made.json.id, 'approved');
        expectValid('vault', 'setup_token_response', await client.get(account, path));
        const token = { payment_source: { token: { id: made.json.id, type: 'SETUP_TOKEN' } } };
        const kept = await client.post(account, '/v3/vault/payment-tokens', token, made.json.id);
        expectValid('vault', 'payment_token_response', kept);
      }
      const refused = await client.post(account, '/v3/vault/setup-tokens', {}, 'empty');
      expect(problems('vault', 'error', refused.json), refused.text).toEqual([]);
      const webhook = await client.get(account, `/v1/notifications/webhooks/hook${account}`);
      expectValid('webhooks', 'webhook', webhook);
    });

    test('for orders that are changed, and holds that are made anew', async () => {
      const changing = 'contract-changes';
      const made = await shop.create(changing, order(walletSource, { reference_id: undefined }, 'AUTHORIZE'));
      const path = `${ordersPath}/${made.json.id}`;
      const amount = { currency_code: 'EUR', value: '21.00' };
      const patch = [
        { op: 'replace', path: "/purchase_units/@reference_id=='default'/amount", value: amount },
      ];
      expect(problems('orders', 'patch_request', patch)).toEqual([]);
      expect((await client.patch(changing, path, patch)).status).toBe(204);
      const bad = await client.patch(changing, path, [{ ...patch[0], path: '/status' }]);
      expect(problems('orders', 'orders.patch-422', bad.json), bad.text).toEqual([]);
      const wrong = await client.patch(changing, path, [{ op: 'replace', path: `${patch[0]?.path}/x` }]);
      expect(problems('orders', 'error_422', wrong.json), wrong.text).toEqual([]);
      await resolveApproval(client.deps, made.json.id, 'approved');
      expectValid('orders', 'order', await client.get(changing, path));
      const held = await client.post(changing, `${path}/authorize`, {}, 'hold');
      expectValid('orders', 'order', held);
      const [{ id }] = held.json.purchase_units[0].payments.authorizations;
      expect(problems('payments', 'reauthorize_request', { amount })).toEqual([]);
      const early = await client.post(changing, `/v2/payments/authorizations/${id}/reauthorize`, { amount });
      expect(problems('payments', 'authorizations.reauthorize-422', early.json), early.text).toEqual([]);
      const threeDays = 3 * 24 * 60 * 60 * 1000;
      await client.sendDue(changing, threeDays);
      const anew = await client.post(changing, `/v2/payments/authorizations/${id}/reauthorize`, { amount });
      expectValid('payments', 'authorization-2', anew);
      const capture = await client.post(changing, `/v2/payments/authorizations/${anew.json.id}/capture`);
      expectValid('payments', 'capture-2', capture);
    });

    test('for refunds of every kind', async () => {
      const answered = refundDirectives
        .filter(({ does }) => does !== 'refused' && does !== 'breaks_down')
        .map(({ value }) => value);
      const notes = [undefined, ...answered];
      for (const note_to_payer of notes) {
        const { id } = captured(await shop.create(account, order(cardSource())));
        const path = `/v2/payments/captures/${id}`;
        const request = { custom_id: 're_1', invoice_id: 're_1', ...(note_to_payer && { note_to_payer }) };
        expect(problems('payments', 'refund_request', request)).toEqual([]);
        const made = await client.post(account, `${path}/refund`, request, `refund-${id}`);
        if (note_to_payer === 'SIM-REFUND-502') continue;
        if (note_to_payer === 'SIM-REFUND-TIMEOUT') continue;
        expectValid('payments', 'refund', made);
        await client.sendDue(account, 11_000);
        expectValid('payments', 'refund', await client.get(account, `/v2/payments/refunds/${made.json.id}`));
        expectValid('payments', 'capture-2', await client.get(account, path));
      }
      const { id } = captured(await shop.create(account, order(cardSource())));
      const path = `/v2/payments/captures/${id}/refund`;
      await client.post(account, path);
      for (const request of [{}, { amount: { currency_code: 'USD', value: '1.00' } }]) {
        const refused = await client.post(account, path, request);
        expect(problems('payments', 'error_422', refused.json), refused.text).toEqual([]);
        expect(problems('payments', 'captures.refund-422', refused.json), refused.text).toEqual([]);
      }
    });

    test('for disputes of every course', async () => {
      const own = (directive: string) => `contract-${directive}`;
      for (const { value } of disputeDirectives) {
        await client.post(own(value), ordersPath, order(cardSource({ name: value })), 'pay');
        for (const _ of [1, 2, 3, 4]) {
          await client.sendDue(own(value), 5_000);
          const list = await client.get(own(value), '/v1/customer/disputes');
          expectValid('disputes', 'dispute_search', list);
          const [{ dispute_id: id }] = list.json.items;
          expectValid('disputes', 'dispute', await client.get(own(value), `/v1/customer/disputes/${id}`));
        }
      }
      const [first] = disputeDirectives;
      const name = own(first?.value ?? '');
      const [{ dispute_id: id }] = (await client.get(name, '/v1/customer/disputes')).json.items;
      const path = `/v1/customer/disputes/${id}`;
      const evidences = [{ evidence_type: 'OTHER', notes: 'Sent' }];
      expectValid(
        'disputes',
        'subsequent_action',
        await client.post(name, `${path}/provide-evidence`, { evidences }),
      );
      expectValid('disputes', 'dispute', await client.get(name, path));
      const refused = await client.post(name, `${path}/accept-claim`);
      expect(refused.status).toBe(422);
      expect(problems('disputes', 'error', refused.json), refused.text).toEqual([]);
      const none = await client.get('nobody', '/v1/customer/disputes');
      expectValid('disputes', 'dispute_search', none);
    });

    test('for every event that was sent', async () => {
      const schemas: Readonly<Record<string, readonly [Parameters<Validate>[0], string]>> = {
        'checkout-order': ['orders', 'order'],
        authorization: ['payments', 'authorization-2'],
        capture: ['payments', 'capture-2'],
        refund: ['payments', 'refund'],
        payment_token: ['vault', 'payment_token_response'],
        dispute: ['disputes', 'dispute'],
      };
      await client.post(account, ordersPath, order(cardSource(), {}, 'AUTHORIZE'), 'held');
      await client.sendDue(account, 5_000);
      expect(client.deliveries.length).toBeGreaterThan(20);
      const seen = new Set<string>();
      for (const { event, text } of client.deliveries) {
        expect(problems('webhooks', 'event', event), text).toEqual([]);
        const [document, schema] = schemas[event.resource_type] ?? [];
        if (document === undefined || schema === undefined) {
          throw new Error(`${event.resource_type} is unknown`);
        }
        expect(problems(document, schema, event.resource), text).toEqual([]);
        seen.add(event.resource_type);
      }
      expect([...seen].toSorted()).toEqual(Object.keys(schemas).toSorted());
    });
  },
);
