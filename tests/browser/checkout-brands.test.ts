import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brandOf, passesLuhn } from '../../packages/checkout/src/cards.ts';
import { cardBrand, passesLuhn as passesLuhnOnServer } from '../../packages/server/src/lib/cards.ts';

it('the page’s script and the server agree on the brand of every number', () => {
  const beginnings = Array.from({ length: 10_000 }, (_value, number) => String(number).padStart(4, '0'));
  const other = beginnings.filter(
    (digits) => brandOf(`${digits}00000000`) !== cardBrand(`${digits}00000000`),
  );
  expect(other).toEqual([]);
});

it('the page’s script and the server agree on check digits', () => {
  const digits = fc.stringMatching(/^\d{1,19}$/);
  fc.assert(fc.property(digits, (number) => passesLuhn(number) === passesLuhnOnServer(number)));
});
