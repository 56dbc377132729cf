import type { ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleCancel, sampleCard, sampleCharge, sampleConfirm } from '../fixtures.ts';
import type { ChargeRequest, ProcessorConnection, ProcessorPort } from '../port/port.ts';
import type { RefundRequest } from '../port/refunds.ts';
import { bodyOf, reply } from '../wire/test-transport.ts';
import { paymentRequest } from './charges/payment-request.ts';
import { upstreamDocument } from './test-documents.ts';
import { buyer, connection, run, storedCard } from './test-kit.ts';
import { checkoutVersion } from './upstream-versions.ts';

const address = { line1: '1 Main St', city: 'Austin', postal_code: '78701-1234', state: 'TX', country: 'US' };
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

const save = { upstreamCustomer: null, required: true };
const models = ['card_on_file', 'subscription', 'unscheduled_card_on_file'] as const;

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
  ...models.flatMap((model): [string, Partial<ChargeRequest>][] => [
    [`a card to be saved, ${model}`, { buyer, save: { ...save, model } }],
    [`a stored card, ${model}`, { ...everything, instrument: storedCard({ model, initiator: 'customer' }) }],
    [`a stored card without the buyer, ${model}`, { ...everything, instrument: storedCard({ model }) }],
  ]),
  ['the largest amount', { amount: 999_999_999_999, currency: 'ISK' }],
];

const document = upstreamDocument(`adyen-checkout-${checkoutVersion}`);
const refund: RefundRequest = {
  refundId: 're_1',
  paymentId: 'pay_1',
  upstreamKey: 're_1',
  upstream: { psp: 'P1' },
  amount: 1000,
  currency: 'EUR',
  reason: 'requested_by_customer',
  note: null,
};

/** Returns the request that the adapter sends for one operation. */
async function sentBy(operation: (port: ProcessorPort, to: ProcessorConnection) => Promise<unknown>) {
  const { sent } = await run([reply(201)], (port) =>
    operation(port, { ...connection, credentials: { apiKey: 'sandbox', merchantAccount: 'TillTest' } }),
  );
  return sent[0];
}

describe.skipIf(!document.present)(document.title, () => {
  let schema: (name: string) => ValidateFunction;
  let valid: ValidateFunction;

  beforeAll(() => {
    schema = document.validator();
    valid = schema('PaymentRequest');
  });

  it.each(cases)('accepts a payment request with %s', (_, changes) => {
    const body = paymentRequest(sampleCharge(changes), 'TillTest');
    valid(JSON.parse(JSON.stringify(body)));
    expect(valid.errors).toBeNull();
  });

  const paymentId = 'pay_1';
  const returned = [{ redirectResult: 'opaque' }];

  it.each<[string, Parameters<typeof sentBy>[0]]>([
    ['PaymentDetailsRequest', (port, to) => port.confirm(to, sampleConfirm({ paymentId, returned }))],
    [
      'PaymentReversalRequest',
      (port, to) => port.cancel(to, sampleCancel({ paymentId, upstream: { psp: 'P1' } })),
    ],
    ['StandalonePaymentCancelRequest', (port, to) => port.cancel(to, sampleCancel({ paymentId }))],
    ['PaymentRefundRequest', (port, to) => port.refund(to, refund)],
    ['PaymentRefundRequest', (port, to) => port.refund(to, { ...refund, reason: null })],
    ['PaymentRefundRequest', (port, to) => port.refund(to, { ...refund, note: 'SIM-REFUND-PENDING' })],
  ])('accepts the adapter’s request %s', async (name, operation) => {
    const body = bodyOf(await sentBy(operation));
    expect(body).not.toBeNull();
    const validBody = schema(name);
    validBody(body);
    expect(validBody.errors).toBeNull();
  });

  it('has the adapter’s refund reasons', async () => {
    const validBody = schema('PaymentRefundRequest');
    for (const reason of ['duplicate', 'fraudulent', 'requested_by_customer', 'other'] as const) {
      validBody(bodyOf(await sentBy((port, to) => port.refund(to, { ...refund, reason }))));
      expect(validBody.errors).toBeNull();
    }
  });

  it('has the adapter’s removal of a stored card', async () => {
    const removal = { token: 'M5N7', customerId: buyer.id, upstreamKey: 'pm_1' };
    const request = await sentBy((port, to) => port.removeInstrument(to, removal));
    const url = new URL(request?.url ?? '');
    expect(url.pathname).toBe('/v71/storedPaymentMethods/M5N7');
    const operation = document.read().paths['/storedPaymentMethods/{storedPaymentMethodId}']?.delete;
    const required = operation?.parameters?.filter((one) => one.required).map((one) => one.name);
    expect(required).toEqual(['storedPaymentMethodId', ...url.searchParams.keys()]);
  });

  it('rejects an unknown property', () => {
    expect(valid({ ...paymentRequest(sampleCharge(), 'TillTest'), surprise: 1 })).toBe(false);
  });
});
