import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { Buyer, ChargeRequest, OrderData } from '../../port/port.ts';
import { metadataId, orderRequest } from './order-request.ts';

/** The request body as sent to the upstream. */
const wire = (changes: Partial<ChargeRequest> = {}) =>
  JSON.parse(JSON.stringify(orderRequest(sampleCharge(changes)) ?? null));
const unit = (changes: Partial<ChargeRequest> = {}) => wire(changes).purchase_units[0];
const ofOrder = (order: Partial<OrderData>, changes: Partial<ChargeRequest> = {}) =>
  unit({ ...changes, order: { lineItems: [], ...order } });
const eur = (value: string) => ({ currency_code: 'EUR', value });

const buyer: Buyer = {
  id: 'cus_1',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: '+442079460958',
  locale: 'en_GB',
  dateOfBirth: '1815-12-10',
};
const berlin = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };
const berlinUpstream = {
  address_line_1: 'Torstraße 12',
  admin_area_2: 'Berlin',
  postal_code: '10119',
  country_code: 'DE',
};
const urls = {
  return_url: 'https://till.example/checkout/return/t_1',
  cancel_url: 'https://till.example/checkout/return/t_1?cancel=1',
};

describe('orderRequest', () => {
  it('has the required fields only, without optional input', () => {
    expect(wire()).toEqual({
      intent: 'CAPTURE',
      purchase_units: [
        {
          reference_id: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
          custom_id: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
          invoice_id: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
          amount: { ...eur('49.99'), breakdown: { item_total: eur('49.99') } },
          items: [{ name: 'Payment', unit_amount: eur('49.99'), quantity: '1' }],
        },
      ],
      payment_source: {
        card: {
          number: '4111111111111111',
          expiry: '2030-03',
          security_code: '737',
          name: 'Ada Lovelace',
          attributes: { verification: { method: 'SCA_WHEN_REQUIRED' } },
          experience_context: urls,
        },
      },
    });
  });

  it('authorizes only, where the capture is manual', () => {
    expect(wire({ captureMethod: 'manual' }).intent).toBe('AUTHORIZE');
  });

  it('null for an amount that the upstream cannot express', () => {
    expect(wire({ currency: 'HUF', amount: 1050 })).toBeNull();
  });

  it('sends descriptor, description, delivery address and the buyer’s IP address', () => {
    const sent = ofOrder(
      { description: 'd'.repeat(200) },
      { statementDescriptor: 'Acme', deliveryAddress: berlin, buyer, shopperIp: '203.0.113.7' },
    );
    expect(sent).toMatchObject({
      description: 'd'.repeat(127),
      soft_descriptor: 'Acme',
      shipping: { type: 'SHIPPING', name: { full_name: 'Ada Lovelace' }, address: berlinUpstream },
      supplementary_data: { risk: { customer: { ip_address: '203.0.113.7' } } },
    });
  });

  it.each(['::1', 'localhost', ''])('omits the IP address %j', (shopperIp) => {
    expect(unit({ shopperIp })).not.toHaveProperty('supplementary_data');
  });
});

describe('orderRequest, the payment source', () => {
  it.each([
    ['always', { verification: { method: 'SCA_ALWAYS' } }],
    ['automatic', { verification: { method: 'SCA_WHEN_REQUIRED' } }],
    ['never', undefined],
  ] as const)('asks for authentication %s', (authentication, attributes) => {
    expect(wire({ authentication }).payment_source.card.attributes).toEqual(attributes);
  });

  it('sends buyer and billing address with a card', () => {
    expect(wire({ buyer, billingAddress: berlin }).payment_source.card).toMatchObject({
      billing_address: berlinUpstream,
      attributes: { customer: { merchant_customer_id: 'cus_1', email_address: 'ada@example.com' } },
    });
  });

  it('sends card fields without a card', () => {
    const { card } = wire({ instrument: { kind: 'card_fields' } }).payment_source;
    expect(card).toEqual({
      attributes: { verification: { method: 'SCA_WHEN_REQUIRED' } },
      experience_context: urls,
    });
  });

  it.each([
    ['es-419', 'es-419'],
    ['zh-hans-cn', 'zh-Hans-CN'],
    ['de-CH-1996', 'de-CH'],
    ['gsw', undefined],
  ])('sends language, script and region of the locale %s', (locale, expected) => {
    const sent = wire({ instrument: { kind: 'wallet' }, buyer: { ...buyer, locale } });
    expect(sent.payment_source).toMatchObject({ paypal: { experience_context: expect.anything() } });
    expect(JSON.stringify(sent).match(/"locale":"([^"]*)"/)?.[1]).toBe(expected);
  });

  it('sends a wallet with the known fields of its owner', () => {
    const sent = wire({
      instrument: { kind: 'wallet' },
      merchantName: ' Acme\nStore ',
      buyer,
      billingAddress: berlin,
      order: { lineItems: [], taxAmount: 1, invoiceId: 'INV-1' },
    });
    expect(sent.payment_source).toEqual({
      paypal: {
        experience_context: {
          ...urls,
          user_action: 'PAY_NOW',
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
          shipping_preference: 'GET_FROM_FILE',
          brand_name: 'Acme Store',
          locale: 'en-GB',
        },
        email_address: 'ada@example.com',
        name: { given_name: 'Ada', surname: 'Lovelace' },
        phone: { phone_number: { country_code: '44', national_number: '2079460958' } },
        birth_date: '1815-12-10',
        attributes: { customer: expect.objectContaining({ merchant_customer_id: 'cus_1' }) },
        address: berlinUpstream,
      },
    });
    expect(sent.purchase_units[0]).not.toHaveProperty('supplementary_data');
  });

  it.each([
    [{ deliveryAddress: berlin }, 'SET_PROVIDED_ADDRESS'],
    [{ deliveryAddress: { country: 'DE' } }, 'GET_FROM_FILE'],
    [{ order: { lineItems: [{ name: 'E', unit_amount: 4999, category: 'DIGITAL_GOODS' }] } }, 'NO_SHIPPING'],
    [{ order: { lineItems: [{ name: 'E', unit_amount: 4999 }] } }, 'GET_FROM_FILE'],
  ] as const)('%# shipping preference of the wallet: %j → %s', (changes, preference) => {
    const { paypal } = wire({ instrument: { kind: 'wallet' }, ...changes }).payment_source;
    expect(paypal.experience_context.shipping_preference).toBe(preference);
  });
});

describe('metadataId', () => {
  it.each([
    [null, undefined],
    ['', undefined],
    ['a'.repeat(36), 'a'.repeat(36)],
  ])('%j → %j', (fingerprint, expected) => {
    expect(metadataId(fingerprint)).toBe(expected);
  });

  it.each(['a'.repeat(37), 'a b', 'a\r\nx: y', 'é'])('hashes %j', (fingerprint) => {
    const id = metadataId(fingerprint);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(metadataId(fingerprint)).toBe(id);
  });
});
