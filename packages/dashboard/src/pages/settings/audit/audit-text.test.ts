import { expect, it } from 'vitest';
import { fieldName, valueText } from './audit-text.ts';

const shown = (name: string, fields: Record<string, unknown>) => valueText(name, fields, 'en');

it('amounts are in the unit of the currency beside them', () => {
  expect(shown('amount', { amount: 2550, currency: 'EUR' })).toBe('€25.50');
  expect(shown('refunded_amount', { refunded_amount: 5000, currency: 'JPY' })).toBe('¥5,000');
  expect(shown('amount', { amount: 2550 })).toBe('2550');
  expect(shown('size', { size: 2550, currency: 'EUR' })).toBe('2550');
});

it('what is empty has no text, and the rest is in words', () => {
  expect(shown('reason', { reason: null })).toBeUndefined();
  expect(shown('evidence', { evidence: [] })).toBeUndefined();
  expect(shown('statement', { statement: true })).toBe('yes');
  expect(
    shown('evidence', {
      evidence: [
        { type: 'receipt', file: null },
        { type: 'other', file: 'file_1' },
      ],
    }),
  ).toBe('type receipt, type other, file file_1');
  expect(shown('limits', { limits: [{ role: 'support', amount: 5000, currency: 'EUR' }] })).toBe(
    'role support, amount €50.00, currency EUR',
  );
  expect(fieldName('payment_method')).toBe('payment method');
});
