import { currencyCodes, currencyExponent } from '@till/contract/currencies';

/** A possible meaning of a typed amount: its value in minor units, and the currencies in which it has that value. */
export interface MeantAmount {
  readonly amount: number;
  readonly currencies: readonly string[];
}

const spelled =
  /^(?:(?<before>[a-z]{3})\s*|[€$£¥]\s*)?(?<number>\d[\d .,'’\u{A0}\u{202F}]*?)\s*(?:(?<after>[a-z]{3})|[€$£¥])?$/iu;
const grouped = /^\d{1,3}(?:[ .,'’\u{A0}\u{202F}]\d{3})+$/u;
const withDecimals = /^(?<whole>\d+|\d{1,3}(?:[ .,'’\u{A0}\u{202F}]\d{3})+)[.,](?<decimals>\d{1,4})$/u;
/** A number with more digits is no amount but, for example, a reference or a phone number. */
const maxDigits = 10;

const digitsOf = (text: string) => text.replaceAll(/\D/g, '');

const byExponent = [...new Set(currencyCodes.map((code) => currencyExponent(code) ?? 0))].map(
  (exponent) => [exponent, currencyCodes.filter((code) => currencyExponent(code) === exponent)] as const,
);

/** The possible readings of a number: its digits, and how many of them are decimals. `1,234` has two readings. */
function readings(number: string): readonly { readonly digits: string; readonly decimals: number }[] {
  const whole =
    /^\d+$/.test(number) || grouped.test(number) ? [{ digits: digitsOf(number), decimals: 0 }] : [];
  const decimals = withDecimals.exec(number)?.groups?.decimals;
  return decimals === undefined ? whole : [...whole, { digits: digitsOf(number), decimals: decimals.length }];
}

/** The amounts that the words may mean, such as `49.90`, `1.234,50`, `JPY 5000` or `€100`. Empty if they are no amount. */
export function readAmounts(words: string): readonly MeantAmount[] {
  const { before, number, after } = spelled.exec(words.trim())?.groups ?? {};
  if (number === undefined) return [];
  const named = (before ?? after)?.toUpperCase();
  if (named !== undefined && currencyExponent(named) === undefined) return [];
  return readings(number).flatMap(({ digits, decimals }) =>
    digits.length > maxDigits
      ? []
      : byExponent.flatMap(([exponent, codes]) => {
          const currencies = named === undefined ? codes : codes.filter((code) => code === named);
          const amount = Number(digits) * 10 ** (exponent - decimals);
          return decimals > exponent || amount === 0 || currencies.length === 0
            ? []
            : [{ amount, currencies }];
        }),
  );
}
