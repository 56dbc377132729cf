import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleCard, sampleCharge, sampleHold, sampleSubmit } from '../fixtures.ts';
import type { ChargeRequest } from '../port/port.ts';
import { confirmSourceRequest } from './charges/submit-card.ts';
import { acceptInput, fileFields } from './disputes/dispute-moves.ts';
import { defenceOf, evidenceTypes } from './disputes/evidence.ts';
import { captureRequest } from './modifications/hold.ts';
import { refundBody, refundRefusals } from './modifications/refund.ts';
import { postback } from './notifications/receive-notification.ts';
import { orderRequest } from './orders/order-request.ts';
import { responseMeanings } from './orders/processor-response.ts';
import { disputeBody, sampleRefund } from './test-kit.ts';

// We may not distribute the upstream's own documents; where they are available they lie next to the repository.
const documents = {
  orders: new URL('paypal-checkout_orders_v2.openapi.json', upstream()),
  payments: new URL('paypal-payments_payment_v2.openapi.json', upstream()),
  vault: new URL('paypal-vault_payment_tokens_v3.openapi.json', upstream()),
  webhooks: new URL('paypal-notifications_webhooks_v1.openapi.json', upstream()),
  disputes: new URL('paypal-customer_disputes_v1.openapi.json', upstream()),
};

function upstream(): URL {
  return new URL('../../../../../../shared/upstream/', import.meta.url);
}

const address = { line1: '1 Main St', city: 'Austin', postal_code: '78701-1234', state: 'TX', country: 'US' };
const buyer = {
  id: 'cus_0mfy2k9a7c3e5g1h8j4m6p2q',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: '+442079460958',
  locale: 'en-GB',
  dateOfBirth: '1815-12-10',
};
const lines = [
  {
    name: 'Mug'.repeat(80),
    unit_amount: 1000,
    quantity: 2,
    tax: 70,
    sku: 'MUG-1',
    description: 'Stoneware '.repeat(20),
    url: 'https://shop.example/mug',
    image_url: 'https://shop.example/mug.png',
    upc: { type: 'UPC-A', code: '012345678905' },
    category: 'PHYSICAL_GOODS' as const,
    commodity_code: '44121503',
    unit_of_measure: 'PCE',
  },
  { name: 'Plate', unit_amount: 500, commodity_code: '52152004' },
];
const everything: Partial<ChargeRequest> = {
  authentication: 'always',
  reference: 'order-7',
  statementDescriptor: 'Acme Store',
  buyer,
  billingAddress: address,
  deliveryAddress: { ...address, line2: 'Apt 4' },
  shopperIp: '203.0.113.7',
  riskSession: 'fp',
  order: {
    lineItems: lines,
    taxAmount: 140,
    shippingAmount: 300,
    handlingAmount: 50,
    discountAmount: 100,
    dutyAmount: 20,
    invoiceId: 'INV-1',
    description: 'Two mugs and a plate',
    shipsFromPostalCode: '78701',
  },
};
const stored = {
  kind: 'stored',
  token: '8kk845',
  upstreamCustomer: '1234567890',
  networkTransactionReference: '123456789012345',
} as const;
const wallet = { instrument: { kind: 'wallet' } } as const;
const cardFields = { instrument: { kind: 'card_fields' } } as const;

const cases: readonly (readonly [string, Partial<ChargeRequest>])[] = [
  ['a card and nothing optional', {}],
  ['a card and everything', everything],
  ['an American Express card', { instrument: { kind: 'card', card: { ...sampleCard, cvc: '7373' } } }],
  ['a card without authentication', { authentication: 'never' }],
  ['card fields and nothing optional', cardFields],
  ['card fields and everything', { ...everything, ...cardFields }],
  ['a wallet and nothing optional', wallet],
  ['a wallet and everything', { ...everything, ...wallet }],
  ['a hold', { captureMethod: 'manual' }],
  ['a Chinese card', { billingAddress: { ...address, country: 'CN' } }],
  ['addresses that are dropped', { billingAddress: { country: 'US' }, deliveryAddress: {} }],
  ['parts beyond the limits', beyondLimits()],
  ['whole units', { currency: 'HUF', amount: 499_900 }],
  ['no decimals', { currency: 'JPY', order: { lineItems: lines } }],
  ['the largest amount', { amount: 999_999_999_999, currency: 'USD' }],
];

const savingCard = { model: 'subscription', upstreamCustomer: '1234567890', required: true } as const;
const models = ['card_on_file', 'subscription', 'unscheduled_card_on_file'] as const;
const savingCases = models.flatMap((model) => {
  const save = { model, upstreamCustomer: '1234567890', required: true };
  return [
    [`a card to save for ${model}`, { ...everything, save }],
    [`card fields to save for ${model}`, { ...everything, ...cardFields, save }],
    [`a wallet to save for ${model}`, { ...everything, ...wallet, save }],
  ] as const;
});
const storedCases = models.flatMap((model) =>
  (['card', 'wallet'] as const).flatMap((method) =>
    (['customer', 'merchant'] as const).map((initiator) => {
      const instrument = { ...stored, method, model, initiator };
      return [`a saved ${method} for ${model}, ${initiator}`, { ...everything, instrument }] as const;
    }),
  ),
);

function beyondLimits(): Partial<ChargeRequest> {
  return {
    buyer: {
      ...buyer,
      email: 'jürgen@example.com',
      phone: '020 7946',
      locale: 'english',
      name: 'x'.repeat(255),
    },
    merchantName: 'y'.repeat(255),
    order: {
      lineItems: [{ name: 'Mug', unit_amount: 4999, sku: 's'.repeat(255), commodity_code: 'é'.repeat(12) }],
      invoiceId: 'i'.repeat(127),
      description: 'z'.repeat(3000),
      shipsFromPostalCode: 'SW1A 1AA',
    },
    shopperIp: '::1',
    ...wallet,
  };
}

const present = Object.values(documents).every((document) => existsSync(document));
const names = Object.values(documents).map((document) => fileURLToPath(document));

describe.skipIf(!present)(
  present ? 'the API documents of the upstream' : `skipped: no ${names.join(', ')}`,
  () => {
    // The documents contain patterns that are not valid Unicode patterns, and formats of their own.
    const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false, logger: false });
    const load = (name: keyof typeof documents) => JSON.parse(readFileSync(documents[name], 'utf8'));
    const schema = (reference: string): ValidateFunction => ajv.compile({ $ref: reference });
    const errorsOf = (valid: ValidateFunction, body: unknown) => {
      valid(JSON.parse(JSON.stringify(body)));
      return valid.errors ?? null;
    };

    beforeAll(() => {
      formats.default(ajv);
      for (const name of ['orders', 'payments', 'webhooks', 'disputes'] as const) {
        ajv.addSchema(load(name), name);
      }
    });

    it.each([...cases, ...savingCases, ...storedCases])('accept an order with %s', (_, changes) => {
      const body = orderRequest(sampleCharge(changes));
      expect(errorsOf(schema('orders#/components/schemas/order_request'), body)).toBeNull();
    });

    it.each([
      ['a card and nothing optional', {}],
      ['everything', { billingAddress: address, authentication: 'always', buyer, save: savingCard }],
    ] as const)('accept a payment source with %s', (_, changes) => {
      const valid = schema('orders#/components/schemas/confirm_order_request');
      expect(errorsOf(valid, confirmSourceRequest(sampleSubmit(changes)))).toBeNull();
    });

    it.each(['order_capture_request', 'order_authorize_request'])('accept an empty %s', (name) => {
      expect(errorsOf(schema(`orders#/components/schemas/${name}`), {})).toBeNull();
    });

    it.each([{}, { statementDescriptor: 'Acme Store' }, { currency: 'HUF', amount: 499_900 }])(
      'accept a capture with %j',
      (changes) => {
        const valid = schema('payments#/components/schemas/capture_request');
        expect(errorsOf(valid, captureRequest(sampleHold(changes)))).toBeNull();
      },
    );

    it.each([{}, { note: `Too\nlarge ${'n'.repeat(400)}` }, { currency: 'HUF', amount: 499_900 }])(
      'accept a refund with %j',
      (changes) => {
        const valid = schema('payments#/components/schemas/refund_request');
        expect(errorsOf(valid, refundBody(sampleRefund(changes)))).toBeNull();
      },
    );

    it('every issue that fails a refund is one of refunds, or of payments that are not found', () => {
      const listed = JSON.stringify(load('payments').components.schemas['captures.refund-422']);
      const unlisted = [...refundRefusals.keys()].filter((issue) => !listed.includes(`"${issue}"`));
      expect(unlisted).toEqual(['PAYER_ACCOUNT_RESTRICTED', 'INVALID_RESOURCE_ID']);
    });

    it('accept the verification of a signature', () => {
      const question = postback(
        {
          id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
          time: '2026-11-20T12:00:00Z',
          signature: 'lmI95Jx3Y9nhR5SJWlHVIWpg4AgFk7n9bCHSRxbrd8A9zrhdu2rMyFrmz',
          certificateUrl: 'https://api.paypal.com/v1/notifications/certs/CERT-1',
          algorithm: 'SHA256withRSA',
        },
        '1JE4291016473214C',
        Buffer.from('{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{}}'),
      );
      const valid = schema('webhooks#/components/schemas/verify_webhook_signature');
      expect(errorsOf(valid, JSON.parse(question.toString()))).toBeNull();
    });

    it('accept every kind of evidence', () => {
      const types = [...evidenceTypes.keys(), 'customer_communication'];
      const file = { name: 'é.x.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') } as const;
      const { evidences } = defenceOf({
        disputeId: 'dp_1',
        upstreamId: 'PP-R-NMW-10060356',
        upstreamKey: 'dp_1:defend',
        state: 'chargeback',
        reasonCode: null,
        statement: 'x'.repeat(3000),
        evidence: types.map((type) => ({ type, text: 'y'.repeat(3000), file })),
      });
      expect(evidences).toHaveLength(types.length + 1);
      const valid = schema('disputes#/components/schemas/evidence');
      expect(evidences.map((evidence) => errorsOf(valid, evidence))).toEqual(evidences.map(() => null));
      const { enum: accepted } = load('disputes').components.schemas.accept_claim_type;
      expect(accepted).toContain(acceptInput.accept_claim_type);
    });

    it('describe the dispute that these tests use', () => {
      const valid = schema('disputes#/components/schemas/dispute');
      expect(errorsOf(valid, disputeBody())).toBeNull();
    });

    it.each([
      ['payments', 'post', '/v2/payments/captures/{capture_id}/refund'],
      ['payments', 'get', '/v2/payments/refunds/{refund_id}'],
      ['vault', 'delete', '/v3/vault/payment-tokens/{id}'],
      ['webhooks', 'post', '/v1/notifications/verify-webhook-signature'],
      ['disputes', 'get', '/v1/customer/disputes/{id}'],
      ['disputes', 'post', '/v1/customer/disputes/{id}/accept-claim'],
      ['disputes', 'post', '/v1/customer/disputes/{id}/provide-evidence'],
      ['disputes', 'post', '/v1/customer/disputes/{id}/provide-supporting-info'],
      ['disputes', 'post', '/v1/customer/disputes/{id}/appeal'],
    ] as const)('have %s %s %s', (name, method, path) => {
      expect(load(name).paths[path]).toHaveProperty(method);
    });

    it('describe the upload of evidence files as the adapter sends it', () => {
      const { paths, components } = load('disputes');
      const nameIn = (body: { content: Record<string, { schema: { properties: object } }> }) =>
        Object.keys(body.content['multipart/form-data']?.schema.properties ?? {});
      const bodyOf = (action: string) => paths[`/v1/customer/disputes/{id}/${action}`].post.requestBody;
      expect(nameIn(components.requestBodies.evidences)).toEqual([fileFields['provide-evidence']]);
      expect(bodyOf('appeal')).toEqual({ $ref: '#/components/requestBodies/evidences' });
      expect(fileFields.appeal).toBe(fileFields['provide-evidence']);
      expect(nameIn(bodyOf('provide-supporting-info'))).toEqual([fileFields['provide-supporting-info']]);
      expect(nameIn(bodyOf('accept-claim'))).toEqual([fileFields['accept-claim']]);
    });

    it('reject an invalid document', () => {
      const valid = schema('orders#/components/schemas/order_request');
      expect(errorsOf(valid, { ...orderRequest(sampleCharge()), purchase_units: [] })).not.toBeNull();
      const card = { number: '1' };
      expect(errorsOf(valid, { ...orderRequest(sampleCharge()), payment_source: { card } })).not.toBeNull();
    });

    it('have the same response codes', () => {
      const { response_code } = load('payments').components.schemas.processor_response.properties;
      expect([...responseMeanings.keys()].sort()).toEqual([...response_code.enum].sort());
    });
  },
);
