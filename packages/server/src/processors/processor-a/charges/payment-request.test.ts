import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { Buyer, ChargeRequest } from '../../port/port.ts';
import { paymentRequest } from './payment-request.ts';

/** The request body as sent to the upstream. */
const wire = (changes: Partial<ChargeRequest> = {}) =>
  JSON.parse(JSON.stringify(paymentRequest(sampleCharge(changes), 'TillTest') ?? null));

const buyer: Buyer = {
  id: 'cus_0mfy2k9a7c3e5g1h8j4m6p2q',
  email: 'ada@example.com',
  name: null,
  phone: null,
  locale: null,
  dateOfBirth: null,
};

describe('paymentRequest', () => {
  it('has the required fields only, without optional input', () => {
    expect(wire()).toEqual({
      amount: { currency: 'EUR', value: 4999 },
      merchantAccount: 'TillTest',
      reference: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
      paymentMethod: {
        type: 'scheme',
        number: '4111111111111111',
        expiryMonth: '03',
        expiryYear: '2030',
        cvc: '737',
        holderName: 'Ada Lovelace',
      },
      returnUrl: 'https://till.example/checkout/return/t_1',
      origin: 'https://till.example',
      channel: 'Web',
      shopperInteraction: 'Ecommerce',
      captureDelayHours: 0,
      sessionValidity: '2026-11-20T12:15:00.000Z',
      lineItems: [{ id: '1', description: 'Payment', quantity: 1, amountIncludingTax: 4999 }],
      authenticationData: { threeDSRequestData: { nativeThreeDS: 'disabled' } },
      metadata: { pay: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q' },
    });
  });

  it.each([
    ['es-419', 'es'],
    ['zh-Hans-CN', 'zh-CN'],
    ['de-CH-1996', 'de-CH'],
    ['x-shop', undefined],
  ])('sends language and country of the locale %s', (locale, sent) => {
    const body = wire({ buyer: { ...buyer, locale }, userAgent: 'Firefox' });
    expect(body.shopperLocale).toBe(sent);
    expect(body.browserInfo).toMatchObject({ language: sent ?? 'en' });
  });

  it('has all fields, with all input', () => {
    const address = { line1: 'Torstraße', line2: '12', city: 'Berlin', postal_code: '10119', country: 'DE' };
    const upstream = {
      street: 'Torstraße',
      houseNumberOrName: '12',
      city: 'Berlin',
      postalCode: '10119',
      country: 'DE',
    };
    const body = wire({
      reference: 'order-7',
      statementDescriptor: 'Acme Store',
      buyer: {
        ...buyer,
        name: 'Augusta Ada King',
        phone: '+44 20 7946-0958',
        locale: 'en-GB',
        dateOfBirth: '1815-12-10',
      },
      billingAddress: address,
      deliveryAddress: { ...address, line2: '13' },
      shopperIp: '203.0.113.7',
      deviceFingerprint: 'fp',
      browserInfo: { user_agent: 'Firefox', language: 'en-GB', screen_height: 900, screen_width: 1440 },
      acceptHeader: 'text/html',
      userAgent: 'curl',
      order: { lineItems: [], taxAmount: 100, invoiceId: 'INV-1', description: 'Two mugs' },
    });
    expect(body).toMatchObject({
      merchantOrderReference: 'order-7',
      shopperStatement: 'Acme Store',
      shopperReference: buyer.id,
      shopperEmail: 'ada@example.com',
      shopperName: { firstName: 'Augusta Ada', lastName: 'King' },
      telephoneNumber: '+442079460958',
      shopperLocale: 'en-GB',
      dateOfBirth: '1815-12-10T00:00:00Z',
      countryCode: 'DE',
      shopperIP: '203.0.113.7',
      deviceFingerprint: 'fp',
      billingAddress: upstream,
      deliveryAddress: { ...upstream, houseNumberOrName: '13' },
      lineItems: [{ id: '1', description: 'Two mugs', quantity: 1, amountIncludingTax: 4999 }],
      enhancedSchemeData: { levelTwoThree: { customerReferenceNumber: 'INV-1', totalTaxAmount: 100 } },
    });
    expect(body.browserInfo).toEqual({
      userAgent: 'Firefox',
      acceptHeader: 'text/html',
      language: 'en-GB',
      screenHeight: 900,
      screenWidth: 1440,
      colorDepth: 24,
      timeZoneOffset: 0,
      javaEnabled: false,
      javaScriptEnabled: true,
    });
  });

  it('is byte for byte the same for the same charge', () => {
    const [one, other] = [1, 2].map(() =>
      JSON.stringify(paymentRequest(sampleCharge({ buyer }), 'TillTest')),
    );
    expect(one).toBe(other);
  });

  it.each([
    ['always', 'always'],
    ['never', 'never'],
    ['automatic', undefined],
  ] as const)('authentication %s → attemptAuthentication %s', (authentication, expected) => {
    expect(wire({ authentication }).authenticationData).toEqual({
      attemptAuthentication: expected,
      threeDSRequestData: { nativeThreeDS: 'disabled' },
    });
  });

  it('sends amounts in the minor units of the upstream, or no amounts', () => {
    const order = { lineItems: [{ name: 'Mug', unit_amount: 400, tax: 100 }] };
    expect(wire({ currency: 'CLP', amount: 500, order })).toMatchObject({
      amount: { currency: 'CLP', value: 50_000 },
      lineItems: [{ amountExcludingTax: 40_000, taxAmount: 10_000, amountIncludingTax: 50_000 }],
    });
    expect(wire({ currency: 'CLP', amount: 500 }).lineItems[0].amountIncludingTax).toBe(50_000);
    expect(paymentRequest(sampleCharge({ currency: 'IDR', amount: 1050 }), 'TillTest')).toBeUndefined();
  });

  it('omits a line amount that the upstream cannot express', () => {
    const order = { lineItems: [{ name: 'Mug', unit_amount: 450, tax: 50 }] };
    expect(wire({ currency: 'IDR', amount: 500, order }).lineItems).toEqual([
      { id: '1', description: 'Mug', quantity: 1, amountIncludingTax: 5 },
    ]);
  });

  it('maps every field of a line', () => {
    const order = {
      lineItems: [
        {
          name: 'Mug',
          description: 'Stoneware, blue',
          unit_amount: 1000,
          quantity: 2,
          tax: 70,
          sku: 'MUG-1',
          url: 'https://shop.example/mug',
          image_url: 'https://shop.example/mug.png',
          upc: { type: 'UPC-A', code: '012345678905' },
          category: 'PHYSICAL_GOODS' as const,
          commodity_code: '44121503',
          unit_of_measure: 'PCE',
        },
        { name: 'Cup', description: '', unit_amount: 5, sku: '' },
      ],
    };
    expect(wire({ order }).lineItems).toEqual([
      {
        id: 'MUG-1',
        description: 'Stoneware, blue',
        quantity: 2,
        amountExcludingTax: 1000,
        taxAmount: 70,
        amountIncludingTax: 1070,
        sku: 'MUG-1',
        upc: '012345678905',
        itemCategory: 'PHYSICAL_GOODS',
        productUrl: 'https://shop.example/mug',
        imageUrl: 'https://shop.example/mug.png',
      },
      { id: '2', description: 'Cup', quantity: 1, amountExcludingTax: 5, amountIncludingTax: 5 },
    ]);
  });
});

describe('paymentRequest, what the processor does not support', () => {
  it.each<Partial<ChargeRequest>>([
    { instrument: { kind: 'card_fields' } },
    { instrument: { kind: 'wallet' } },
    { captureMethod: 'manual' },
  ])('throws for %j', (changes) => {
    expect(() => wire(changes)).toThrow('processor_a offers no');
  });
});

describe('paymentRequest, the buyer', () => {
  it.each([
    [null, undefined],
    ['  ', undefined],
    ['Plato', { firstName: 'Plato', lastName: '-' }],
    [' Ada  Lovelace ', { firstName: 'Ada', lastName: 'Lovelace' }],
    ['Juan Carlos Perez', { firstName: 'Juan Carlos', lastName: 'Perez' }],
    [`${'a'.repeat(90)} ${'b'.repeat(90)}`, { firstName: 'a'.repeat(80), lastName: 'b'.repeat(80) }],
    [`${'a'.repeat(79)}\u{1f600} B`, { firstName: 'a'.repeat(79), lastName: 'B' }],
  ])('splits the name %j', (name, expected) => {
    expect(wire({ buyer: { ...buyer, name } }).shopperName).toEqual(expected);
  });

  it.each([
    ['+442079460958', '+442079460958'],
    ['+49 30 901.820-00', '+493090182000'],
    ['020 7946 0958', undefined],
    ['+44', undefined],
    [`+${'1'.repeat(19)}`, undefined],
    ['+44 (0)20 79', undefined],
    [null, undefined],
  ])('sends the phone number %j as %j', (phone, expected) => {
    expect(wire({ buyer: { ...buyer, phone } }).telephoneNumber).toBe(expected);
  });

  it('takes the country from the delivery address where the billing address has none', () => {
    expect(wire({ billingAddress: {}, deliveryAddress: { country: 'FR' } })).toMatchObject({
      countryCode: 'FR',
    });
  });
});

describe('paymentRequest, the browser', () => {
  it('is absent without a user agent', () => {
    expect(wire({ browserInfo: { language: 'en' }, acceptHeader: 'text/html' })).not.toHaveProperty(
      'browserInfo',
    );
  });

  it('is filled from the headers and defaults', () => {
    expect(wire({ userAgent: 'Firefox', buyer: { ...buyer, locale: 'fr-FR' } }).browserInfo).toEqual({
      userAgent: 'Firefox',
      acceptHeader: 'text/html,*/*',
      language: 'fr-FR',
      screenHeight: 0,
      screenWidth: 0,
      colorDepth: 24,
      timeZoneOffset: 0,
      javaEnabled: false,
      javaScriptEnabled: true,
    });
  });

  it.each([
    [30, 30],
    [10, 24],
  ])('sends the colour depth %i as %i', (color_depth, expected) => {
    const browserInfo = { color_depth, accept_header: 'a/b', java_enabled: true, time_zone_offset: -60 };
    expect(wire({ userAgent: 'Firefox', browserInfo }).browserInfo).toMatchObject({
      colorDepth: expected,
      acceptHeader: 'a/b',
      javaEnabled: true,
      timeZoneOffset: -60,
      language: 'en',
    });
  });
});
