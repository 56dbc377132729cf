import { expect, it } from 'vitest';
import { isoOfDay } from '../../lib/amounts/time.ts';
import { paymentQuery } from './filters.ts';

const now = Date.UTC(2026, 10, 20, 12);

it('reads the address of a page as the filters of the list', () => {
  const url = {
    search: 'order-1',
    status: 'failed,voided',
    currency: 'EUR',
    amount_gte: '100',
    capture_method: 'manual',
    from: '2026-11-01',
    page: '3',
    other: 'x',
  };
  expect(paymentQuery(url, now)).toEqual({
    q: 'order-1',
    status: 'failed,voided',
    currency: 'EUR',
    amount_gte: 100,
    capture_method: 'manual',
    created_gte: isoOfDay('2026-11-01'),
  });
});

it('ignores empty and invalid values', () => {
  expect(
    paymentQuery({ status: '', amount_lte: 'x', capture_method: 'automatic,manual', search: '' }, now),
  ).toEqual({});
});
