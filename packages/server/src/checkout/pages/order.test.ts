import { describe, expect, it } from 'vitest';
import type { StoredRequest } from '../../payments/kept-request.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { orderRows, orderSummary, shownDescription } from './order.ts';
import type { PaymentScene } from './scene.ts';
import { english } from './texts/languages.ts';
import { Words } from './words.ts';

const client = { ip: null, userAgent: null, accept: null };
const requestOf = (changes: Partial<StoredRequest>): StoredRequest => ({
  amount: 6190,
  currency: 'EUR',
  client,
  ...changes,
});
const lines = [
  { name: 'Mug', unit_amount: 2000, quantity: 2, tax: 380 },
  { name: 'Tea', unit_amount: 1000, tax: 70 },
];
const full = requestOf({ line_items: lines, shipping_amount: 500, discount_amount: 140, duty_amount: 100 });

const summaryOf = (request: StoredRequest, reference: string | null = null) =>
  orderSummary({
    words: new Words(english),
    visit: { request, payment: { amount: request.amount, currency: 'EUR', reference } as PaymentRow },
  } as unknown as PaymentScene).html;

describe('the rows of an order', () => {
  it('add up to the amount', () => {
    const rows = orderRows(full);
    expect(rows.map(({ amount }) => amount)).toEqual([4000, 1000, 830, 500, -140]);
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(full.amount);
  });

  it('are none without lines, since nothing says that the rest adds up', () => {
    expect(orderRows(requestOf({ shipping_amount: 500 }))).toEqual([]);
  });
});

describe('the description', () => {
  it('is cut between letters where it is long', () => {
    expect(shownDescription(requestOf({ description: '😀'.repeat(301) }))).toBe(`${'😀'.repeat(300)}…`);
    expect(shownDescription(requestOf({ description: '  ' }))).toBeNull();
  });
});

describe('the summary', () => {
  it('is open for a short order and folded for a long one, with the number of its lines', () => {
    expect(summaryOf(full)).toContain('<details open><summary>Your order</summary>');
    const many = Array.from({ length: 6 }, () => ({ name: 'Mug', unit_amount: 100 }));
    expect(summaryOf(requestOf({ amount: 600, line_items: many }))).toContain(
      '<details><summary>Your order (6)</summary>',
    );
  });

  it('has nothing where the merchant sent nothing', () => {
    expect(summaryOf(requestOf({}))).toBe('');
    expect(summaryOf(requestOf({ description: 'Spring' }), 'order-7')).toContain('<bdi>order-7</bdi>');
  });
});
