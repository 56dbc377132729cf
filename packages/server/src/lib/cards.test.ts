import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardBrand, cardSummary, isExpired, normaliseCardNumber, passesLuhn } from './cards.ts';

/** Published test numbers, under the brand that their range gives. */
const published: Readonly<Record<string, readonly string[]>> = {
  visa: [
    '4111111111111111',
    '4988438843884305',
    '4166676667666746',
    '4646464646464644',
    '4444333322221111',
    '4000020000000000',
    '4400000000000008',
    '4000620000000007',
    '4000060000000006',
    '4005519000000006',
    '4484600000000004',
    '4977949494949497',
    '4111111145551142',
    '4111112014267661',
    '4917610000000000',
    '4212345678910006',
    // Cartes Bancaires, co-badged with Visa.
    '4360000001000005',
    '4035501428146300',
  ],
  mastercard: [
    '5555555555554444',
    '5577000055770004',
    '5555444433331111',
    '2223000048410010',
    '2222410740360010',
    '2222400010000008',
    '2222400050000009',
    '2222400030000004',
    '5103221911199245',
    '5100060000000002',
    '5454545454545454',
    '5201281505129736',
  ],
  amex: ['370000000000002', '370000000100018', '371449635398431'],
  discover: ['6011601160116611', '6445644564456445', '6011111111111117'],
  diners: ['36006666333344', '36070500001020', '30569309025904'],
  jcb: ['3569990010095841', '3566111111111113'],
  maestro: [
    '6771798021000008',
    '5000550000000029',
    // Bancontact, co-badged with Maestro.
    '6703444444444449',
    // processor_b publishes these
    '6304000000000000',
    '5063516945005047',
  ],
  unionpay: ['6243030000000001'],
};

const publishedRows = Object.entries(published).flatMap(([brand, numbers]) =>
  numbers.map((number): [string, string] => [number, brand]),
);

describe('cardBrand', () => {
  it.each(publishedRows)('%s is %s', (number, brand) => {
    expect(cardBrand(number)).toBe(brand);
  });

  it.each([
    ['2220990000000000', null],
    ['2221000000000009', 'mastercard'],
    ['2720990000000007', 'mastercard'],
    ['2721000000000004', null],
    ['5099999999999999', 'maestro'],
    ['5100000000000000', 'mastercard'],
    ['5599999999999999', 'mastercard'],
    ['5600000000000000', 'maestro'],
    ['5900000000000000', null],
    ['3527990000000000', null],
    ['3528000000000007', 'jcb'],
    ['3589999999999999', 'jcb'],
    ['3590000000000000', null],
    ['3060000000000000', null],
    ['6010000000000000', null],
    ['6430000000000000', null],
    ['8100000000000000', 'unionpay'],
    ['9999999999999999', null],
    ['1000000000000000', null],
    ['222', null],
    ['', null],
  ])('boundary of a range: %s is %s', (number, brand) => {
    expect(cardBrand(number)).toBe(brand);
  });
});

describe('normaliseCardNumber', () => {
  it('drops spaces and hyphens and nothing else', () => {
    expect(normaliseCardNumber(' 4111-1111 1111--1111 ')).toBe('4111111111111111');
    expect(normaliseCardNumber('4111.1111\t1')).toBe('4111.1111\t1');
  });
});

describe('passesLuhn', () => {
  it.each(publishedRows)('accepts %s', (number) => {
    expect(passesLuhn(number)).toBe(true);
  });

  it.each(['4111111111111112', '', ' ', '4111 1111 1111 1111', '4111a', '١٢٣', '-0'])(
    'refuses %j',
    (number) => {
      expect(passesLuhn(number)).toBe(false);
    },
  );

  it('rejects every single wrong digit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...publishedRows),
        fc.nat(18),
        fc.integer({ min: 1, max: 9 }),
        ([number], place, shift) => {
          const at = place % number.length;
          const wrong = (Number(number[at]) + shift) % 10;
          expect(passesLuhn(number.slice(0, at) + wrong + number.slice(at + 1))).toBe(false);
        },
      ),
    );
  });

  it('accepts exactly one check digit', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{11,18}$/), (body) => {
        const accepted = Array.from('0123456789').filter((digit) => passesLuhn(body + digit));
        expect(accepted).toHaveLength(1);
      }),
    );
  });
});

describe('cardSummary', () => {
  it('has brand, first six and last four digits', () => {
    expect(cardSummary('4111111145551142')).toEqual({ brand: 'visa', bin: '411111', last4: '1142' });
    expect(cardSummary('9999999999999995')).toEqual({ brand: null, bin: '999999', last4: '9995' });
  });
});

describe('isExpired', () => {
  it.each([
    [11, 2026, '2026-11-30T23:59:59.999Z', false],
    [11, 2026, '2026-12-01T00:00:00.000Z', true],
    [12, 2026, '2026-12-31T23:59:59.999Z', false],
    [12, 2026, '2027-01-01T00:00:00.000Z', true],
    [10, 2026, '2026-11-20T12:00:00.000Z', true],
    [12, 2025, '2026-01-01T00:00:00.000Z', true],
    [1, 2027, '2026-12-15T00:00:00.000Z', false],
    [12, 9999, '2026-12-15T00:00:00.000Z', false],
    [1, 1000, '2026-12-15T00:00:00.000Z', true],
  ])('%i/%i at %s: %s', (month, year, now, expired) => {
    expect(isExpired(month, year, new Date(now))).toBe(expired);
  });
});
