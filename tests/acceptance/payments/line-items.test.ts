import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant } from '../../support/merchant.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const item = (unit_amount: number, more: object = {}) => ({ name: 'Socks', unit_amount, ...more });

const right: readonly (readonly [string, Record<string, unknown>])[] = [
  ['one item of the whole amount', { line_items: [item(1000)] }],
  ['quantity counts', { line_items: [item(250, { quantity: 4 })] }],
  ['an empty list', { line_items: [] }],
  ['100 items', { line_items: Array.from({ length: 100 }, () => item(10)) }],
  [
    'tax, shipping, handling and discount',
    {
      tax_amount: 100,
      shipping_amount: 50,
      handling_amount: 25,
      discount_amount: 75,
      line_items: [item(450, { quantity: 2 })],
    },
  ],
  ['tax of the items becomes the tax', { line_items: [item(400, { quantity: 2, tax: 100 })] }],
  [
    'tax of the items that equals tax_amount',
    { tax_amount: 200, line_items: [item(400, { quantity: 2, tax: 100 })] },
  ],
  ['tax on some of the items', { line_items: [item(500, { tax: 100 }), item(400)] }],
  ['duty does not count', { duty_amount: 300, line_items: [item(1000)] }],
  ['an item for nothing', { line_items: [item(1000), item(0)] }],
  ['a discount beyond the amount', { discount_amount: 5000, line_items: [item(6000)] }],
  ['parts without items', { tax_amount: 100, shipping_amount: 50, discount_amount: 5 }],
  [
    'all optional fields of an item',
    {
      line_items: [
        item(1000, {
          sku: 's',
          description: 'd',
          url: 'https://shop.example/s',
          image_url: 'https://shop.example/s.png',
          upc: { type: 'UPC-A', code: '012345678905' },
          category: 'DIGITAL_GOODS',
          commodity_code: '4303',
          unit_of_measure: 'EA',
        }),
      ],
    },
  ],
  ['a upc of 6 digits without type', { line_items: [item(1000, { upc: { code: '123456' } })] }],
  ['a upc of 17 digits', { line_items: [item(1000, { upc: { code: '1'.repeat(17) } })] }],
  [
    'invoice, description and postal code',
    { invoice_id: 'i-1', description: 'd', ships_from_postal_code: '1' },
  ],
];

const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
  ['less than the amount', { line_items: [item(999)] }],
  ['more than the amount', { line_items: [item(1001)] }],
  ['quantity is not in the unit amount', { line_items: [item(1000, { quantity: 2 })] }],
  ['tax is not taken off', { tax_amount: 100, line_items: [item(1000)] }],
  ['shipping is added instead of taken off', { shipping_amount: 100, line_items: [item(1100)] }],
  ['the discount is not added', { discount_amount: 100, line_items: [item(1000)] }],
  [
    'tax of the items differs from tax_amount',
    { tax_amount: 150, line_items: [item(400, { quantity: 2, tax: 100 })] },
  ],
  ['tax of one unit only', { line_items: [item(450, { quantity: 2, tax: 100 })] }],
  [
    'the greatest quantity and unit amount',
    { line_items: [item(999_999_999_999, { quantity: 999_999_999 })] },
  ],
];

describe('line items', () => {
  it.each(right)('that total the amount are accepted: %s', async (_name, fields) => {
    expect((await shop.pay({ amount: 1000, ...fields })).status).toBe(201);
  });

  it.each(wrong)('that do not are refused: %s', async (_name, fields) => {
    const reply = await shop.pay({ amount: 1000, ...fields });
    expectError(reply, 'invalid_params');
    expect(reply.body.error.param).toMatch(/^(line_items|tax_amount)/);
  });
});
