import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OrderAmounts, reconcile } from './line-items.ts';

const amountMax = 999_999_999_999;

function item(unit_amount: number, quantity?: number, tax?: number) {
  return {
    name: 'Item',
    unit_amount,
    ...(quantity === undefined ? {} : { quantity }),
    ...(tax === undefined ? {} : { tax }),
  };
}

describe('reconcile', () => {
  it('accepts items that total the amount less tax, shipping and discount, and returns these', () => {
    const order = {
      amount: 1000 + 190 + 50 + 10 - 100,
      line_items: [item(300, 2), item(400)],
      tax_amount: 190,
      shipping_amount: 50,
      handling_amount: 10,
      discount_amount: 100,
      duty_amount: 77,
    };
    expect(reconcile(order)).toEqual({
      ok: true,
      order: {
        lineItems: [
          { name: 'Item', unit_amount: 300, quantity: 2 },
          { name: 'Item', unit_amount: 400, quantity: 1 },
        ],
        taxAmount: 190,
        shippingAmount: 50,
        handlingAmount: 10,
        discountAmount: 100,
        dutyAmount: 77,
      },
    });
  });

  it('422 where the items total anything else, with the expected total', () => {
    const result = reconcile({ amount: 1000, line_items: [item(900)], tax_amount: 50 });
    expect(result).toMatchObject({ ok: false, param: 'line_items' });
    expect(result).toHaveProperty('message', expect.stringMatching(/ 950 .* 900\.$/));
  });

  it('keeps the other fields of an item and does not mutate its input', () => {
    const sent = { ...item(1000), sku: 'A-1', category: 'DIGITAL_GOODS' as const, commodity_code: '123' };
    const order = Object.freeze({ amount: 1000, line_items: [Object.freeze(sent)] });
    expect(reconcile(order)).toEqual({ ok: true, order: { lineItems: [{ ...sent, quantity: 1 }] } });
  });

  it('accepts items of zero amount where tax and shipping make up the amount', () => {
    expect(reconcile({ amount: 500, line_items: [item(0)], shipping_amount: 500 }).ok).toBe(true);
  });

  it('422 where tax and shipping exceed the amount', () => {
    expect(reconcile({ amount: 500, line_items: [item(0)], shipping_amount: 501 }).ok).toBe(false);
  });
});

describe('reconcile without items', () => {
  it.each([undefined, []])('compares nothing and passes tax, shipping and discount on (%j)', (line_items) => {
    const order = { amount: 100, shipping_amount: 500, tax_amount: 0, ...(line_items && { line_items }) };
    expect(reconcile(order)).toEqual({
      ok: true,
      order: { lineItems: [], taxAmount: 0, shippingAmount: 500 },
    });
  });

  it('leaves absent amounts absent', () => {
    expect(reconcile({ amount: 100 })).toStrictEqual({ ok: true, order: { lineItems: [] } });
  });
});

describe('tax on the items', () => {
  it('is summed to the tax of the order, by quantity', () => {
    const order = { amount: 1000 + 3 * 19, line_items: [item(300, 3, 19), item(100)] };
    expect(reconcile(order)).toMatchObject({ ok: true, order: { taxAmount: 57 } });
  });

  it('may be equal to tax_amount', () => {
    expect(reconcile({ amount: 119, line_items: [item(100, 1, 19)], tax_amount: 19 }).ok).toBe(true);
  });

  it('must be equal to tax_amount', () => {
    const result = reconcile({ amount: 119, line_items: [item(100, 1, 19)], tax_amount: 18 });
    expect(result).toMatchObject({
      ok: false,
      param: 'tax_amount',
      message: expect.stringContaining(' 19.'),
    });
  });

  it('zero counts: tax_amount is then wrong', () => {
    const result = reconcile({ amount: 119, line_items: [item(100, 1, 0)], tax_amount: 19 });
    expect(result).toMatchObject({ ok: false, param: 'tax_amount' });
  });
});

describe('upc', () => {
  it.each([
    [
      { type: 'UPC-A', code: '123456789012' },
      { type: 'UPC-A', code: '123456789012' },
    ],
    [
      { type: 'UPC-E', code: '123456' },
      { type: 'UPC-E', code: '123456' },
    ],
    [
      { type: 'UPC-5', code: '12345678901234567' },
      { type: 'UPC-5', code: '12345678901234567' },
    ],
    [{ code: '123456789012' }, { type: 'UPC-A', code: '123456789012' }],
    [
      { type: 'EAN', code: '123456789012' },
      { type: 'UPC-A', code: '123456789012' },
    ],
    [{ code: '12345678901' }, undefined],
    [{ code: '1234567890123' }, undefined],
    [{ type: 'EAN', code: '1234567890123' }, undefined],
    [{ type: 'upc-e', code: '123456' }, undefined],
  ])('%j becomes %j', (upc, expected) => {
    const result = reconcile({ amount: 100, line_items: [{ ...item(100), upc }] });
    const [line] = result.ok ? result.order.lineItems : [];
    expect(line?.upc).toEqual(expected);
    expect(line && 'upc' in line).toBe(expected !== undefined);
  });
});

describe('numbers out of range', () => {
  it.each<[keyof OrderAmounts, number]>([
    ['amount', 2 ** 53],
    ['amount', amountMax + 1],
    ['tax_amount', -1],
    ['shipping_amount', 0.5],
    ['handling_amount', Number.NaN],
    ['discount_amount', Number.POSITIVE_INFINITY],
    ['duty_amount', 1e300],
  ])('%s of %d: 422 with the field', (param, value) => {
    expect(reconcile({ amount: 100, [param]: value })).toMatchObject({ ok: false, param });
  });

  it.each([
    [item(-1)],
    [item(1.5)],
    [item(1, 0)],
    [item(1, 1.5)],
    [item(1, 1_000_000_000)],
    [item(1, 1, -1)],
    [item(amountMax + 1)],
  ])('%j: 422', (line) => {
    expect(reconcile({ amount: 100, line_items: [line] })).toMatchObject({ ok: false, param: 'line_items' });
  });

  it('never accepts a sum that is equal only after rounding', () => {
    // 999999999999 * 999999999 exceeds 2^53; as a double, adding one more minor unit changes nothing.
    const line_items = [item(amountMax, 999_999_999), item(1)];
    expect(reconcile({ amount: amountMax, line_items }).ok).toBe(false);
    const tax = [item(0, 999_999_999, amountMax)];
    expect(reconcile({ amount: amountMax, line_items: tax }).ok).toBe(false);
  });
});

const part = fc.option(fc.integer({ min: 0, max: 1_000_000_000 }), { nil: undefined });
const basket = fc.array(
  fc.record(
    {
      name: fc.constant('Item'),
      unit_amount: fc.integer({ min: 0, max: 1_000_000_000 }),
      quantity: fc.integer({ min: 1, max: 50 }),
      tax: fc.integer({ min: 0, max: 1_000_000 }),
    },
    { requiredKeys: ['name', 'unit_amount'] },
  ),
  { minLength: 1, maxLength: 10 },
);
const generatedOrder = fc.record({
  lines: basket,
  tax: part,
  shipping: part,
  handling: part,
  discount: part,
  duty: part,
  off: fc.oneof(fc.constant(0), fc.integer({ min: -1000, max: 1000 })),
});

describe('the equation of the specification', () => {
  it('decides exactly which requests are accepted', () => {
    let accepted = 0;
    fc.assert(
      fc.property(generatedOrder, (generated) => {
        const { sent, balanced } = build(generated);
        if (balanced < 0 || balanced > amountMax) return;
        expect(reconcile({ ...sent, amount: balanced }).ok).toBe(true);
        accepted += 1;
        const amount = balanced + generated.off;
        if (amount < 0) return;
        expect(reconcile({ ...sent, amount }).ok).toBe(generated.off === 0);
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

/** Builds the order as a request sends it, and the only amount that fits its parts. */
function build({
  lines,
  tax,
  shipping,
  handling,
  discount,
  duty,
}: typeof generatedOrder extends fc.Arbitrary<infer T> ? T : never) {
  const hasItemTax = lines.some((line) => line.tax !== undefined);
  const sum = (figure: (line: (typeof lines)[number]) => number) =>
    lines.reduce((running, line) => running + figure(line) * (line.quantity ?? 1), 0);
  const itemTax = sum((line) => line.tax ?? 0);
  const tax_amount = hasItemTax && tax !== undefined ? itemTax : tax;
  const orderTax = hasItemTax ? itemTax : (tax ?? 0);
  const balanced =
    sum((line) => line.unit_amount) + orderTax + (shipping ?? 0) + (handling ?? 0) - (discount ?? 0);
  const sent = {
    line_items: lines,
    ...(tax_amount === undefined ? {} : { tax_amount }),
    ...(shipping === undefined ? {} : { shipping_amount: shipping }),
    ...(handling === undefined ? {} : { handling_amount: handling }),
    ...(discount === undefined ? {} : { discount_amount: discount }),
    ...(duty === undefined ? {} : { duty_amount: duty }),
  };
  return { sent, balanced };
}
