import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesLuhn } from '../cards.ts';
import { scrubCardNumbers } from './scrub.ts';

describe('scrubCardNumbers', () => {
  it.each([
    ['4111111111111111', '[card ••••1111]'],
    ['card 4111111111111111.', 'card [card ••••1111].'],
    ['4111 1111 1111 1111', '[card ••••1111]'],
    ['4111-1111-1111-1111', '[card ••••1111]'],
    ['4111  1111 - 1111   1111', '[card ••••1111]'],
    ['3700 000000 00002', '[card ••••0002]'],
    ['36006666333344', '[card ••••3344]'],
    ['4222222222222', '[card ••••2222]'],
    ['x4111111111111111y', 'x[card ••••1111]y'],
    // With the expiry date and security code that are beside it on a card.
    ['4111 1111 1111 1111 03/30 737', '[card ••••1111] 03/30 737'],
    ['5454545454545454 737', '[card ••••5454] 737'],
    // Here all 19 digits together also pass the Luhn check.
    ['5555555555554444 737', '[card ••••4737]'],
    ['1 4111111111111111', '1 [card ••••1111]'],
    ['4111111111111111 5555555555554444', '[card ••••1111] [card ••••4444]'],
    // Digits of an escape sequence or other digits touch the number.
    ['note=%204111111111111111', 'note=%20[card ••••1111]'],
    ['%224111111111111111%22', '%22[card ••••1111]%22'],
    ['0000004111111111111111', '000000[card ••••1111]'],
    // The second number stands alone once the number that touches it is masked.
    ['00000000000004111111111111111', '[card ••••0000][card ••••1111]'],
    // Begins like a JSON object but is not valid JSON.
    ['{"n":4111111111111111.', '{"n":[card ••••1111].'],
    ['{"at":4111111111111111.25} and more', '{"at":[card ••••1111].25} and more'],
    ['{"n":4111111111111111,"cut off', '{"n":[card ••••1111],"cut off'],
  ])('masks %s', (text, scrubbed) => {
    expect(scrubCardNumbers(text)).toBe(scrubbed);
  });

  it.each([
    '',
    'no digits',
    '4111111111111112',
    '411111111111',
    '4111\n1111\n1111\n1111',
    '2026-11-20T12:00:00.000Z',
    '2026-11-20 12:00:00',
    'pay_mwoxfuo0k3j9x2v8q1z7b4n6',
    '192.168.100.200',
    '99999999999999999999',
  ])('leaves %j as it is', (text) => {
    expect(scrubCardNumbers(text)).toBe(text);
  });

  it.each([
    ['{"a":1,"n":"4111111111111111","c":"737"}', '{"a":1,"n":"[card ••••1111]","c":"737"}'],
    ['{"n":4111111111111111,"c":737}', '{"n":"[card ••••1111]","c":737}'],
    ['{"n": 4111111111111111 }', '{"n": "[card ••••1111]"}'],
    ['{"n":[4111111111111111,"5555555555554444"]}', '{"n":["[card ••••1111]","[card ••••4444]"]}'],
    ['{"n":224111111111111111}', '{"n":"[card ••••1111]"}'],
    [
      '{"body":"{\\"n\\":4111111111111111}","m":"\\\\","n":5555555555554444}',
      '{"body":"{\\"n\\":[card ••••1111]}","m":"\\\\","n":"[card ••••4444]"}',
    ],
    ['{"took":0.4111111111111111}', '{"took":0.4111111111111111}'],
    ['{"at":4111111111111111.25}', '{"at":4111111111111111.25}'],
  ])('keeps a log line valid: %s', (line, scrubbed) => {
    expect(scrubCardNumbers(line)).toBe(scrubbed);
    expect(() => JSON.parse(scrubbed)).not.toThrow();
  });

  it('masks any card number, however it is written, in any text', () => {
    fc.assert(
      fc.property(text, writtenCard, text, (before, card, after) => {
        const scrubbed = scrubCardNumbers(`${before}.${card.written},${after}`);
        expect(scrubbed).toContain(`.[card ••••${card.number.slice(-4)}],`);
        expect(scrubbed).not.toContain(card.written);
      }),
    );
  });

  it('masks a card number next to other digits', () => {
    const visa = fc.stringMatching(/^4\d{14}$/).map(withCheckDigit);
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{0,5}$/),
        visa,
        fc.stringMatching(/^\d{0,5}$/),
        (before, card, after) => {
          expect(scrubCardNumbers(before + card + after)).not.toContain(card);
        },
      ),
    );
  });

  it('keeps a line with a negative number parseable', () => {
    expect(JSON.parse(scrubCardNumbers('{"":[-3792653162630356]}'))).toEqual({ '': ['[card ••••0356]'] });
  });

  it('keeps every JSON line parseable and free of card numbers', () => {
    const value = fc.oneof(
      writtenCard.map((card) => card.written),
      // At most 15 digits, which a number represents exactly.
      writtenCard.filter((card) => card.number.length <= 15).map((card) => Number(card.number)),
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.nat(),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))), (record) => {
        const scrubbed = scrubCardNumbers(JSON.stringify(record));
        expect(Object.keys(JSON.parse(scrubbed))).toHaveLength(Object.keys(record).length);
        for (const run of scrubbed.match(/(?<![\d.])\d{13,19}(?![\d.])/g) ?? []) {
          expect(passesLuhn(run)).toBe(false);
        }
      }),
    );
  });

  it('leaves texts without 13 consecutive digits unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\d]\d{0,12}[^\d -]$/)), (pieces) => {
        expect(scrubCardNumbers(pieces.join(''))).toBe(pieces.join(''));
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(digitsInGroups, (digits) => {
        const once = scrubCardNumbers(digits);
        expect(scrubCardNumbers(once)).toBe(once);
      }),
    );
  });

  it.each([
    ['digits', '4111111111111112'.repeat(20_000)],
    ['card numbers', '4111111111111111,'.repeat(20_000)],
    ['card numbers in JSON', `{"n":[${'4111111111111111,'.repeat(20_000)}0]}`],
    ['separators', `1${' -'.repeat(150_000)}`],
    ['digits between separators', '1 '.repeat(150_000)],
    ['just too few digits', '411111111111x'.repeat(25_000)],
  ])('takes linear time on a long line of %s', (_, line) => {
    const started = performance.now();
    scrubCardNumbers(line);
    // The line has some 300 kB; a quadratic algorithm would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

function withCheckDigit(body: string): string {
  return Array.from('0123456789', (digit) => body + digit).find(passesLuhn) ?? '';
}

const digitsInGroups = fc
  .array(fc.constantFrom(...Array.from('0123456789 -'), '0000000000000', '4111111111111111'), {
    maxLength: 40,
    size: 'max',
  })
  .map((pieces) => pieces.join(''));

const text = fc.stringMatching(/^[^\d]*$/);

const writtenCard = fc
  .record({
    number: fc.stringMatching(/^[1-9]\d{11,17}$/).map(withCheckDigit),
    separators: fc.array(fc.constantFrom('', '', '', ' ', '-'), { minLength: 18, maxLength: 18 }),
  })
  .map(({ number, separators }) => ({
    number,
    written: Array.from(number, (digit, at) => (at === 0 ? digit : separators[at - 1] + digit)).join(''),
  }));
