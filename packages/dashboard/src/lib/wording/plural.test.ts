import { expect, it } from 'vitest';
import { countOf, singularOf } from './plural.ts';

it('names one thing in the singular and groups many by thousands', () => {
  expect([0, 1, 2, 12345].map((value) => countOf(value, 'payment'))).toEqual([
    '0 payments',
    '1 payment',
    '2 payments',
    '12,345 payments',
  ]);
  expect([1, 3].map((value) => countOf(value, 'delivery', 'deliveries'))).toEqual([
    '1 delivery',
    '3 deliveries',
  ]);
});

it('finds the singular of what a list is called', () => {
  expect(['payments', 'deliveries', 'webhook endpoints'].map(singularOf)).toEqual([
    'payment',
    'delivery',
    'webhook endpoint',
  ]);
});
