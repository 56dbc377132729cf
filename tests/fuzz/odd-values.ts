import type { Random } from '../crash/random.ts';

const long = [41, 81, 255, 256, 501, 3001, 70_000];
const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');

/**
 * Texts that often break programs: empty, huge, invalid Unicode, in the format of something else, or hard for
 * regular expressions.
 */
const texts: readonly ((random: Random) => string)[] = [
  () => '',
  () => ' ',
  () => '\0',
  () => control,
  () => '\ud800',
  () => '\udc00\ud800',
  () => '\u202e\u200b\ufeff',
  () => '👩‍👩‍👧‍👦'.repeat(40),
  () => 'ﬃ İ ß Ω é',
  () => '__proto__',
  () => 'constructor',
  () => 'toString',
  () => "' or 1=1; --",
  () => '{{7*7}}#{7*7}<%= 7 %>',
  () => '<script>alert(1)</script>',
  () => '=1+1|cmd',
  () => '\r\nx-injected: yes',
  () => '../../../../etc/passwd',
  () => '%00%ff%2e%2e%2f',
  () => 'https://',
  () => 'https://[::1',
  () => 'https://user:pw@shop.example/#x',
  () => 'https://shop.example/%zz?a=\t',
  () => `https://shop.example/${'a'.repeat(5000)}`,
  () => 'javascript:alert(1)',
  () => 'http://169.254.169.254/latest',
  () => '::ffff:127.0.0.1',
  () => '999.999.999.999',
  () => '2026-02-30',
  () => '0000-00-00',
  () => '-000001-01-01',
  () => '1e3',
  () => '0x10',
  () => 'NaN',
  () => 'EUR',
  () => 'eur',
  () => 'XXX',
  () => 'XAU',
  () => 'US',
  () => '4646464646464644',
  () => '4646 4646 4646 4644',
  () => `a@${'a.'.repeat(120)}b`,
  () => `${'a'.repeat(64)}@shop.example`,
  () => '@@.@',
  (random) => 'a'.repeat(random.pick(long)),
  (random) => '1 '.repeat(random.pick(long)),
  (random) => '-'.repeat(random.pick(long)),
  (random) => `${'a.'.repeat(random.pick(long))}!`,
  (random) => `4${' -'.repeat(random.pick(long))}1`,
  (random) => String.fromCharCode(...Array.from({ length: 12 }, () => random.below(0x10000))),
  (random) => String.fromCodePoint(...Array.from({ length: 8 }, () => random.below(0x11_0000))),
];

const numbers = [
  0,
  -0,
  -1,
  1,
  0.1,
  1.5,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  999_999_999_999,
  1_000_000_000_000,
  1e21,
  1e308,
  5e-324,
];

/** Invalid or unusual JSON tokens that `JSON.stringify` never writes. */
const rawJson = [
  'NaN',
  '1e999',
  '-1e999',
  '01',
  '0x10',
  '1.0',
  '1e2',
  '-',
  '+1',
  "'a'",
  'undefined',
  '9007199254740993',
];

/** Marks a string as raw JSON. `writeJson` replaces the quoted string by the text after the mark. */
const rawMark = '\u{f0000}raw:';

export const oddText = (random: Random): string => random.pick(texts)(random);

function nested(depth: number, inside: unknown): unknown {
  let value = inside;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Returns a JSON value that no real client would send. */
export function oddValue(random: Random): unknown {
  switch (random.below(10)) {
    case 0:
      return random.pick([null, true, false, [], {}]);
    case 1:
    case 2:
      return random.pick(numbers);
    case 3:
      return rawMark + random.pick(rawJson);
    case 4:
      return nested(random.pick([2, 20, 31, 33, 64, 500]), oddText(random));
    case 5:
      return Array.from({ length: random.pick([1, 2, 50, 101, 1000]) }, () =>
        random.pick([null, 1, 'a', {}]),
      );
    case 6:
      return Object.fromEntries(
        Array.from({ length: random.pick([1, 21, 51, 101]) }, (_, index) => [
          random.chance(0.2) ? oddText(random) : `key_${index}`,
          random.chance(0.2) ? oddText(random) : 'value',
        ]),
      );
    default:
      return oddText(random);
  }
}

/** Serializes a value and inserts the raw JSON tokens of `oddValue`. */
export function writeJson(value: unknown): string {
  const quoted = new RegExp(`"${rawMark}((?:[^"\\\\]|\\\\.)*)"`, 'gu');
  return (JSON.stringify(value) ?? 'null').replaceAll(quoted, (_, raw: string) => raw);
}
