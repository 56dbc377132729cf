import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest, OrderData } from '../../port/port.ts';
import { levelTwoThree } from './level-two-three.ts';

const data = (order: Partial<OrderData>, changes: Partial<ChargeRequest> = {}) =>
  JSON.parse(
    JSON.stringify(levelTwoThree(sampleCharge({ ...changes, order: { lineItems: [], ...order } })) ?? null),
  );

const mug = { name: 'Mug', unit_amount: 1000, quantity: 2, commodity_code: '44121503' };

describe('levelTwoThree, Level 2', () => {
  it.each([
    ['no order data', {}, null],
    ['a tax of zero', { taxAmount: 0 }, null],
    ['a tax', { taxAmount: 120 }, { totalTaxAmount: 120 }],
    ['an invoice', { invoiceId: 'INV-1' }, { customerReferenceNumber: 'INV-1' }],
    [
      'both',
      { taxAmount: 120, invoiceId: 'Café 7' },
      { totalTaxAmount: 120, customerReferenceNumber: 'Cafe 7' },
    ],
    ['a tax beyond the limit', { taxAmount: 10_000_000_001 }, null],
    ['an invoice of zeros', { invoiceId: '000' }, null],
    [
      'Level 3 fields without Level 3 lines',
      { taxAmount: 1, shippingAmount: 5, dutyAmount: 5, shipsFromPostalCode: '78701' },
      { totalTaxAmount: 1 },
    ],
    [
      'lines of which one has no code',
      { taxAmount: 1, lineItems: [mug, { name: 'Cup', unit_amount: 1 }] },
      { totalTaxAmount: 1 },
    ],
  ])('with %s', (_, order, expected) => {
    expect(data(order)).toEqual(expected);
  });

  it('falls back to the reference of the payment', () => {
    expect(data({ taxAmount: 1 }, { reference: 'order-7' })).toMatchObject({
      customerReferenceNumber: 'order-7',
    });
    expect(data({ invoiceId: 'x'.repeat(26) }, { reference: 'order-7' })).toEqual({
      customerReferenceNumber: 'order-7',
    });
    expect(data({}, { reference: 'order-7' })).toBeNull();
  });

  it('sums the taxes of the lines', () => {
    const lineItems = [
      { name: 'Mug', unit_amount: 1000, quantity: 2, tax: 70 },
      { name: 'Cup', unit_amount: 5 },
    ];
    expect(data({ lineItems })).toEqual({ totalTaxAmount: 140 });
  });

  it('reports amounts in the minor units of the upstream', () => {
    expect(data({ taxAmount: 12 }, { currency: 'ISK' })).toEqual({ totalTaxAmount: 1200 });
    expect(data({ taxAmount: 150 }, { currency: 'CVE' })).toBeNull();
  });
});

describe('levelTwoThree, Level 3', () => {
  it('has the whole order', () => {
    const order = {
      lineItems: [
        { ...mug, sku: 'MUG-1', tax: 0 },
        { name: 'Plate', unit_amount: 500, unit_of_measure: 'PCE' },
      ],
      shippingAmount: 300,
      handlingAmount: 50,
      dutyAmount: 20,
      discountAmount: 100,
      invoiceId: 'INV-1',
      shipsFromPostalCode: '78701-1234',
    };
    const deliveryAddress = { country: 'US', state: 'CA', postal_code: '94107' };
    expect(data(order, { deliveryAddress, currency: 'USD' })).toEqual({
      customerReferenceNumber: 'INV-1',
      totalTaxAmount: 0,
      freightAmount: 350,
      dutyAmount: 20,
      shipFromPostalCode: '78701-1234',
      destination: { countryCode: 'US', stateOrProvince: 'CA', postalCode: '94107' },
      orderDate: '2026-11-20',
      itemDetailLines: [
        {
          description: 'Mug',
          productCode: 'MUG-1',
          quantity: 2,
          unitPrice: 1000,
          totalAmount: 1920,
          discountAmount: 80,
          commodityCode: '44121503',
        },
        {
          description: 'Plate',
          quantity: 1,
          unitPrice: 500,
          totalAmount: 480,
          discountAmount: 20,
          unitOfMeasure: 'PCE',
        },
      ],
    });
  });

  it.each([
    ['a description of one character', { name: 'X' }, 'description'],
    ['a description of punctuation', { name: '*** ---' }, 'description'],
    ['a description of zeros', { name: '0000' }, 'description'],
    ['a long product code', { sku: 'x'.repeat(13) }, 'productCode'],
    ['a product code of zeros', { sku: '000' }, 'productCode'],
    ['a large quantity', { quantity: 10_000, unit_amount: 1 }, 'quantity'],
    ['a large unit price', { unit_amount: 10_000_000_001, quantity: 1 }, 'unitPrice'],
    ['a large total', { unit_amount: 9_000_000_000, quantity: 2 }, 'totalAmount'],
    ['a long unit of measure', { unit_of_measure: 'PIECES' }, 'unitOfMeasure'],
    ['a commodity code of zeros', { commodity_code: '0000' }, 'commodityCode'],
  ])('omits %s, and only that', (_, changes, field) => {
    const [line] = data({ lineItems: [{ ...mug, ...changes }] }).itemDetailLines;
    expect(line).not.toHaveProperty(field);
    expect(Object.keys(line).length).toBeGreaterThanOrEqual(3);
  });

  it('truncates a description to 26 ASCII characters', () => {
    const [line] = data({ lineItems: [{ ...mug, name: 'Große Tasse aus Steingut, blau' }] }).itemDetailLines;
    expect(line.description).toBe('Grosse Tasse aus Steingut,');
  });

  it.each([
    [{ country: 'US', postal_code: '1234', state: 'California' }, { countryCode: 'US' }],
    [
      { country: 'CA', postal_code: 'K1A 0B1' },
      { countryCode: 'CA', postalCode: 'K1A 0B1' },
    ],
    [
      { country: 'CA', postal_code: '12345', state: 'CA-ON' },
      { countryCode: 'CA', stateOrProvince: 'ON' },
    ],
    [{}, undefined],
  ])('destination fields within the limits: %j', (deliveryAddress, expected) => {
    expect(data({ lineItems: [mug] }, { deliveryAddress }).destination).toEqual(expected);
  });

  it('sends at most nine lines', () => {
    expect(data({ lineItems: Array.from({ length: 12 }, () => mug) }).itemDetailLines).toHaveLength(9);
  });

  it.each([
    [100, [1, 1, 1]],
    [1, [1, 1, 1]],
    [7, [999_999_999_999, 1, 999_999_999_999]],
    [999_999_999_999, [999_999_999_999, 3, 999_999_999_999]],
    [5, [0, 0]],
  ])('splits a discount of %i over %j exactly, never above a line’s amount', (discountAmount, amounts) => {
    const lineItems = amounts.map((unit_amount) => ({ name: 'It', unit_amount, unit_of_measure: 'PCE' }));
    const lines: { discountAmount?: number }[] = data({ lineItems, discountAmount }).itemDetailLines;
    const whole = amounts.reduce((sum, amount) => sum + amount, 0);
    const shares = lines.map((line) => line.discountAmount ?? 0);
    // Shares above the upstream's limit are left out, so the sum is exact only if the whole is below it.
    if (Math.min(discountAmount, whole) <= 10_000_000_000) {
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(discountAmount, whole));
    }
    for (const [index, share] of shares.entries()) {
      expect(share).toBeLessThanOrEqual(amounts[index] ?? 0);
    }
  });
});
