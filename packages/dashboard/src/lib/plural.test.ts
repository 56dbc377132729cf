import { expect, it } from 'vitest';
import { countOf } from './plural.ts';

it('names one thing in the singular and groups many by thousands', () => {
  expect([0, 1, 2, 12345].map((value) => countOf(value, 'payments'))).toEqual([
    '0 payments',
    '1 payment',
    '2 payments',
    '12,345 payments',
  ]);
});
