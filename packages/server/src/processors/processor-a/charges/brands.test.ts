import { describe, expect, it } from 'vitest';
import { brandName } from './brands.ts';

describe('brandName', () => {
  it.each([
    ['visa', 'visa'],
    ['mc', 'mastercard'],
    ['amex', 'amex'],
    ['discover', 'discover'],
    ['diners', 'diners'],
    ['jcb', 'jcb'],
    ['maestro', 'maestro'],
    ['bcmc', 'bancontact'],
    ['cup', 'unionpay'],
    ['cartebancaire', 'cartes_bancaires'],
    ['Elo', 'elo'],
    ['', null],
    ['<b>', null],
    [null, null],
  ])('%j → %j', (upstream, expected) => {
    expect(brandName(upstream)).toBe(expected);
  });
});
