import { expect, it } from 'vitest';
import { readAmounts } from './read-amounts.ts';

const inCurrency = (words: string, code: string) =>
  readAmounts(words)
    .filter(({ currencies }) => currencies.includes(code))
    .map(({ amount }) => amount);

it.each([
  ['49.90', 'EUR', [4990]],
  ['49,9', 'EUR', [4990]],
  ['€100', 'EUR', [10_000]],
  ['100.00', 'JPY', []],
  ['5000', 'JPY', [5000]],
  ['12.340', 'KWD', [12_340_000, 12_340]],
  ['1.234,50', 'EUR', [123_450]],
  ['1,234', 'EUR', [123_400]],
  ['EUR 20', 'EUR', [2000]],
  ['20 usd', 'EUR', []],
  ['20 usd', 'USD', [2000]],
])('%s may be in %s', (words, code, amounts) => {
  expect(inCurrency(words, code)).toEqual(amounts);
});

it.each(['order-1', '403152671831013', '', '0', '1..2', '20 xyz', '2026-11-20', 'ann 20'])(
  '%j is no amount',
  (words) => {
    expect(readAmounts(words)).toEqual([]);
  },
);
