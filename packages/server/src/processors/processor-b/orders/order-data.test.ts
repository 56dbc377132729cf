import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest, OrderData } from '../../port/port.ts';
import { orderRequest } from './order-request.ts';

/** The purchase unit as sent to the upstream. */
const ofOrder = (order: Partial<OrderData>, changes: Partial<ChargeRequest> = {}) =>
  JSON.parse(JSON.stringify(orderRequest(sampleCharge({ ...changes, order: { lineItems: [], ...order } }))))
    .purchase_units[0];
const eur = (value: string) => ({ currency_code: 'EUR', value });

const berlin = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };
const berlinUpstream = {
  address_line_1: 'Torstraße 12',
  admin_area_2: 'Berlin',
  postal_code: '10119',
  country_code: 'DE',
};

describe('orderRequest, the basket', () => {
  const mug = { name: 'Mug', unit_amount: 1000, quantity: 2 };

  it('breaks the amount down', () => {
    const order = { taxAmount: 140, shippingAmount: 300, handlingAmount: 50, discountAmount: 100 };
    expect(ofOrder({ ...order, lineItems: [{ ...mug, tax: 70 }] }, { amount: 2390 })).toMatchObject({
      amount: {
        ...eur('23.90'),
        breakdown: {
          item_total: eur('20.00'),
          tax_total: eur('1.40'),
          shipping: eur('3.00'),
          handling: eur('0.50'),
          discount: eur('1.00'),
        },
      },
      items: [{ name: 'Mug', unit_amount: eur('10.00'), quantity: '2', tax: eur('0.70') }],
    });
  });

  it('sends the remainder of the amount as a single line', () => {
    const sent = ofOrder({ taxAmount: 100, discountAmount: 1, description: 'Order 7' }, { amount: 1000 });
    expect(sent.items).toEqual([{ name: 'Order 7', unit_amount: eur('9.01'), quantity: '1' }]);
    expect(sent.amount.breakdown.item_total).toEqual(eur('9.01'));
  });

  it.each([
    ['nothing is left of the amount', { taxAmount: 4999 }, {}],
    ['a line has no form', { lineItems: [{ ...mug, unit_amount: 150 }] }, { currency: 'HUF', amount: 300 }],
    ['a tax has no form', { lineItems: [{ ...mug, tax: 50 }] }, { currency: 'HUF', amount: 2100 }],
    ['a part has no form', { lineItems: [mug], shippingAmount: 50 }, { currency: 'TWD', amount: 2000 }],
  ])('sends the amount only where %s', (_, order, changes) => {
    const sent = ofOrder(order, changes);
    expect(sent).not.toHaveProperty('items');
    expect(sent.amount).not.toHaveProperty('breakdown');
  });

  it('maps every field of a line', () => {
    const lineItems = [
      {
        name: 'x'.repeat(200),
        unit_amount: 4999,
        description: 'y'.repeat(200),
        sku: 'MUG-1',
        url: 'https://shop.example/mug',
        image_url: 'https://shop.example/mug.png',
        upc: { type: 'UPC-A', code: '012345678905' },
        category: 'PHYSICAL_GOODS' as const,
      },
    ];
    expect(ofOrder({ lineItems }).items).toEqual([
      {
        name: 'x'.repeat(127),
        unit_amount: eur('49.99'),
        quantity: '1',
        description: 'y'.repeat(127),
        sku: 'MUG-1',
        url: 'https://shop.example/mug',
        image_url: 'https://shop.example/mug.png',
        upc: { type: 'UPC-A', code: '012345678905' },
        category: 'PHYSICAL_GOODS',
      },
    ]);
  });

  it('omits line fields that the upstream would refuse', () => {
    const lineItems = [
      {
        name: 'Mug',
        unit_amount: 4999,
        description: ' ',
        sku: 's'.repeat(128),
        url: 'mug.html',
        image_url: 'http://shop.example/mug.png',
        upc: { code: '012345678905' },
      },
    ];
    expect(ofOrder({ lineItems }).items).toEqual([{ name: 'Mug', unit_amount: eur('49.99'), quantity: '1' }]);
  });

  it('omits the category where donations and goods are mixed', () => {
    const donation = { name: 'Gift', unit_amount: 2999, category: 'DONATION' as const };
    const mixed = ofOrder({ lineItems: [mug, donation] });
    expect(mixed.items[1]).not.toHaveProperty('category');
    expect(ofOrder({ lineItems: [donation] }).items[0].category).toBe('DONATION');
  });
});

describe('orderRequest, Level 2 and 3 data', () => {
  const card = (order: Partial<OrderData>, changes: Partial<ChargeRequest> = {}) =>
    ofOrder(order, changes).supplementary_data?.card;
  const mug = { name: 'Mug', unit_amount: 2000, quantity: 2, commodity_code: '44121503' };

  it.each([
    ['nothing', {}, undefined],
    ['a tax of zero', { taxAmount: 0 }, undefined],
    ['a tax', { taxAmount: 140 }, { level_2: { tax_total: eur('1.40') } }],
    ['an invoice', { invoiceId: 'INV-1' }, { level_2: { invoice_id: 'INV-1' } }],
    ['an invoice in letters to fold', { invoiceId: 'Café' }, { level_2: { invoice_id: 'Cafe' } }],
    ['an invoice that is too long', { invoiceId: 'x'.repeat(18) }, undefined],
    ['an invoice that is no code', { invoiceId: 'a b' }, undefined],
    ['Level 3 without codes', { lineItems: [{ name: 'Mug', unit_amount: 4999 }] }, undefined],
  ])('of %s', (_, order, expected) => {
    expect(card(order)).toEqual(expected);
  });

  it('sends the reference in place of an invoice number that is too long', () => {
    expect(card({ invoiceId: 'x'.repeat(18) }, { reference: 'order-7' })).toEqual({
      level_2: { invoice_id: 'order-7' },
    });
  });

  it('sends Level 3 where every line carries a code or a unit', () => {
    const lineItems = [mug, { name: 'Cup', unit_amount: 499, unit_of_measure: 'PCE' }];
    const order = { lineItems, shippingAmount: 300, handlingAmount: 200, dutyAmount: 7, discountAmount: 0 };
    const sent = card(
      { ...order, shipsFromPostalCode: '78701' },
      { amount: 4999, deliveryAddress: berlin, reference: 'order-7' },
    );
    expect(sent).toEqual({
      level_2: { invoice_id: 'order-7' },
      level_3: {
        shipping_amount: eur('5.00'),
        duty_amount: eur('0.07'),
        shipping_address: berlinUpstream,
        ships_from_postal_code: '78701',
        line_items: [
          {
            name: 'Mug',
            unit_amount: eur('20.00'),
            quantity: '2',
            commodity_code: '44121503',
            total_amount: eur('40.00'),
          },
          {
            name: 'Cup',
            unit_amount: eur('4.99'),
            quantity: '1',
            unit_of_measure: 'PCE',
            total_amount: eur('4.99'),
          },
        ],
      },
    });
  });

  it('omits an invalid commodity code', () => {
    const sent = card({ lineItems: [{ ...mug, commodity_code: 'a b' }], shipsFromPostalCode: 'SW1A 1AA' });
    expect(sent.level_3).not.toHaveProperty('ships_from_postal_code');
    expect(sent.level_3.line_items[0]).not.toHaveProperty('commodity_code');
  });
});
