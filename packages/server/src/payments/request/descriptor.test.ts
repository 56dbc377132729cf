import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../../processors/registry.ts';
import { statementDescriptor } from './descriptor.ts';

const [a, b] = [capabilitiesOf('processor_a'), capabilitiesOf('processor_b')];
/** How many characters fit, for each processor and method. */
const targets = {
  a: a.descriptorLimit('card', 'visa'),
  card: b.descriptorLimit('card', 'visa'),
  prefixedCard: b.descriptorLimit('card', 'amex'),
  unknownCard: b.descriptorLimit('card', null),
  wallet: b.descriptorLimit('wallet', null),
};

/** Worked examples of the rule, without the prefixes `PP*` and `PAYPAL*`, which the upstream adds. */
const examples: readonly (readonly [
  input: string,
  unprefixed: string | null,
  scheme: string | null,
  wallet: string | null,
])[] = [
  ['Acme Store', 'Acme Store', 'Acme Store', 'Acme Store'],
  ['Café Crème & Söhne GmbH', 'Cafe Creme Sohne GmbH', 'Cafe Creme Sohne', 'Cafe Creme'],
  ["JOHN'S #1 BURGERS, LONDON", 'JOHN S 1 BURGERS', 'JOHN S 1 BURGERS', 'JOHN S 1'],
  ['Internationalisierungsdienst', 'Internationalisierungs', 'Internationalisieru', 'Internationalis'],
  ['Northwind Traders Annual Plan', 'Northwind Traders', 'Northwind Traders', 'Northwind'],
  ['  --Big   Box--  ', '--Big Box--', '--Big Box--', '--Big Box--'],
  ['Nordic Ærø Strædet 12/3', 'Nordic AEro Straedet', 'Nordic AEro', 'Nordic AEro'],
  ['東京 Shop 24h', 'Shop 24h', 'Shop 24h', 'Shop 24h'],
  ['A supercalifragilistic shop', 'A supercalifragilistic', 'A supercalifragilis', 'A supercalifrag'],
  ['Dr. Smith-Jones Dental Care', 'Dr. Smith-Jones Dental', 'Dr. Smith-Jones', 'Dr. Smith-Jones'],
  ['★★★', null, null, null],
  ['Order 10045-2026.03 Widgets Ltd', 'Order 10045-2026.03', 'Order 10045-2026.03', 'Order 10045-202'],
  ['Łódź Kraków Gdańsk sp. z o.o.', 'Lodz Krakow Gdansk sp.', 'Lodz Krakow Gdansk', 'Lodz Krakow'],
  [
    'X Supercalifragilisticexpialidocious',
    'X Supercalifragilistic',
    'X Supercalifragilis',
    'X Supercalifrag',
  ],
];

describe('statementDescriptor', () => {
  it.each(examples)('cuts %s to each length limit', (input, unprefixed, scheme, wallet) => {
    expect(statementDescriptor(input, targets.a)).toBe(unprefixed);
    expect(statementDescriptor(input, targets.card)).toBe(unprefixed);
    expect(statementDescriptor(input, targets.prefixedCard)).toBe(scheme);
    expect(statementDescriptor(input, targets.unknownCard)).toBe(scheme);
    expect(statementDescriptor(input, targets.wallet)).toBe(wallet);
  });

  it.each([
    [null, null],
    ['', null],
    ['  *  ', null],
    ['PAYPAL*FAKE', 'PAYPAL FAKE'],
    ['Straße þing Ðuro Øre łoś', 'Strasse thing Duro Ore'],
    ['ıħŋŧđð ÞŒœ', 'ihntdd THOEoe'],
    ['e\u0301te\u0301', 'ete'],
    ['a🙂b', 'a b'],
    ['tab\tline\nend', 'tab line end'],
  ])('%j becomes %j', (input, descriptor) => {
    expect(statementDescriptor(input, targets.a)).toBe(descriptor);
  });

  it('keeps a hard cut where whole words would use just half of the length', () => {
    expect(statementDescriptor('Elevenchars Elevenchars', targets.a)).toBe('Elevenchars Elevenchar');
    expect(statementDescriptor('Twelve chars Elevenchars', targets.a)).toBe('Twelve chars');
  });

  it('trims a hard cut that ends in a space', () => {
    expect(statementDescriptor('Internationalisation x', targets.prefixedCard)).toBe('Internationalisatio');
    expect(statementDescriptor('Eighteen-long-word xyz', targets.prefixedCard)).toBe('Eighteen-long-word');
  });

  it('22 characters less the processor’s prefix', () => {
    expect(targets).toEqual({ a: 22, card: 22, prefixedCard: 19, unknownCard: 19, wallet: 15 });
  });

  const target = fc.constantFrom(...Object.values(targets));
  const input = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.stringMatching(/^[A-Za-z0-9 .*-]{0,60}$/),
  );

  it('always within the limit, of allowed characters and single inner spaces', () => {
    fc.assert(
      fc.property(input, target, (original, where) => {
        const descriptor = statementDescriptor(original, where);
        if (descriptor === null) return;
        expect(descriptor.length).toBeLessThanOrEqual(where);
        expect(descriptor).toMatch(/^[A-Za-z0-9.-]+( [A-Za-z0-9.-]+)*$/);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(input, target, (original, where) => {
        const once = statementDescriptor(original, where);
        expect(statementDescriptor(once, where)).toBe(once);
      }),
    );
  });
});
