import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleCancel, sampleCard, sampleCharge, sampleConfirm } from '../fixtures.ts';
import type { ChargeRequest } from '../port.ts';
import { bodyOf, reply, scriptedTransport } from '../test-transport.ts';
import { createProcessorA } from './adapter.ts';
import { paymentRequest } from './payment-request.ts';

// The upstream's own document is not ours to distribute; it lies beside the repository where it is at hand.
const document = fileURLToPath(
  new URL('../../../../../../shared/upstream/adyen-checkout-v71.openapi.json', import.meta.url),
);

const connection = {
  accountId: 'acct_1',
  livemode: false,
  baseUrl: 'https://checkout-test.example/v71',
  credentials: { apiKey: 'key', merchantAccount: 'TillTest' },
};

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
    name: 'Mug',
    unit_amount: 1000,
    quantity: 2,
    tax: 70,
    sku: 'MUG-1',
    description: 'Stoneware',
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
  deviceFingerprint: 'fp',
  browserInfo: { user_agent: 'Firefox', language: 'en-GB', screen_height: 900, screen_width: 1440 },
  acceptHeader: 'text/html',
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
const numbers = {
  visa: '4111111111111111',
  mastercard: '5555555555554444',
  amex: '370000000000002',
  discover: '6011601160116611',
  diners: '36006666333344',
  jcb: '3569990010095841',
  maestro: '6771798021000008',
  unionpay: '6243030000000001',
  cartes_bancaires: '4360000001000005',
};

const cases: readonly (readonly [string, Partial<ChargeRequest>])[] = [
  ['nothing optional', {}],
  ['everything', everything],
  ...Object.entries(numbers).map(
    ([brand, number]) =>
      [
        brand,
        {
          instrument: {
            kind: 'card',
            card: { ...sampleCard, number, cvc: brand === 'amex' ? '7373' : '737' },
          },
        },
      ] as const,
  ),
  ['no authentication', { authentication: 'never' }],
  ['a billing address only', { billingAddress: address }],
  ['a delivery address only', { deliveryAddress: { ...address, country: 'DE', postal_code: '10119' } }],
  ['addresses that are dropped', { billingAddress: { country: 'US' }, deliveryAddress: {} }],
  ['Level 2 data', { order: { lineItems: [], taxAmount: 100, invoiceId: 'INV-1' } }],
  ['Level 3 data', { order: { lineItems: lines, discountAmount: 7 }, deliveryAddress: address }],
  ['a buyer with an address of one word and no phone', { buyer: { ...buyer, name: 'Plato', phone: null } }],
  ['a browser known by its headers', { userAgent: 'Firefox' }],
  ['other minor units', { currency: 'CLP', order: { lineItems: lines } }],
  ['the largest amount', { amount: 999_999_999_999, currency: 'ISK' }],
];

const present = existsSync(document);

describe.skipIf(!present)(present ? 'the API document of the upstream' : `skipped: no ${document}`, () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  let valid: ValidateFunction;

  beforeAll(() => {
    formats.default(ajv);
    ajv.addSchema(JSON.parse(readFileSync(document, 'utf8')), 'doc');
    valid = ajv.compile({ $ref: 'doc#/components/schemas/PaymentRequest' });
  });

  it.each(cases)('allows a payment request with %s', (_, changes) => {
    const body = paymentRequest(sampleCharge(changes), 'TillTest');
    valid(JSON.parse(JSON.stringify(body)));
    expect(valid.errors).toBeNull();
  });

  it.each([
    ['PaymentDetailsRequest', { details: { redirectResult: 'opaque' } }],
    ['PaymentCancelRequest', { merchantAccount: 'TillTest', reference: 'pay_1' }],
    [
      'StandalonePaymentCancelRequest',
      { merchantAccount: 'TillTest', reference: 'pay_1', paymentReference: 'pay_1' },
    ],
  ])('allows what the adapter sends as %s', async (schema, expected) => {
    const { transport, sent } = scriptedTransport([reply(201)]);
    const port = createProcessorA({ transport, delay: async () => {}, elapsed: () => 0 });
    const paymentId = 'pay_1';
    await port.confirm(connection, sampleConfirm({ paymentId, returned: { redirectResult: 'opaque' } }));
    await port.cancel(connection, sampleCancel({ paymentId, upstream: { psp: 'P1' } }));
    await port.cancel(connection, sampleCancel({ paymentId }));
    const body = sent.map(bodyOf).find((each) => isDeepStrictEqual(each, expected));
    const validBody = ajv.compile({ $ref: `doc#/components/schemas/${schema}` });
    validBody(body);
    expect(validBody.errors).toBeNull();
  });

  it('refuses a member that it does not know', () => {
    expect(valid({ ...paymentRequest(sampleCharge(), 'TillTest'), surprise: 1 })).toBe(false);
  });
});
