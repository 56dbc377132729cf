/**
 * Card numbers while they are typed: brand, format and check digit. The server validates them again with its own table.
 */

export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'maestro' | 'unionpay';

/** Brand names as the card schemes write them; they are the same in every language. */
export const brandNames: Readonly<Record<Brand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  maestro: 'Maestro',
  unionpay: 'UnionPay',
};

/** The prefixes (IIN ranges) of each brand. */
const prefixes: readonly (readonly [Brand, RegExp])[] = [
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['discover', /^(6011|64[4-9]|65)/],
  ['diners', /^(30[0-5]|3095|36|38|39)/],
  ['jcb', /^35(2[89]|[3-8])/],
  ['maestro', /^(50|5[6-8]|63|67)/],
  ['unionpay', /^(62|81)/],
];

/** The brand that the first digits of the number identify; null while they match no brand. */
export function brandOf(digits: string): Brand | null {
  return prefixes.find(([, prefix]) => prefix.test(digits))?.[0] ?? null;
}

export const minNumberLength = 12;
export const maxNumberLength = 19;

/** The lengths of the groups in which the brand prints its card numbers. */
function groups(digits: string): readonly number[] {
  const brand = brandOf(digits);
  if (brand === 'amex') return [4, 6, 5];
  if (brand === 'diners' && digits.length <= 14) return [4, 6, 4];
  return [4, 4, 4, 4, 3];
}

/** Formats a number in the groups of its brand, separated by spaces. */
export function formatNumber(digits: string): string {
  const blocks: string[] = [];
  let rest = digits.slice(0, maxNumberLength);
  for (const length of groups(rest)) {
    if (rest === '') break;
    blocks.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  // Digits beyond the brand's length are appended unchanged; validation reports them.
  return blocks.join(' ') + rest;
}

/** Whether the last digit is the correct check digit (Luhn algorithm, ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit < 5 ? digit * 2 : digit * 2 - 9;
    sum += place % 2 === 0 ? digit : doubled;
  }
  return digits !== '' && sum % 10 === 0;
}

/** The number of digits of the security code for this card number. */
export const codeLength = (number: string): 3 | 4 => (brandOf(number) === 'amex' ? 4 : 3);

/** The code points of the zeros of the decimal digits that keyboards of the supported languages type. */
const zeros = [0x660, 0x6f0, 0xff10];

/** Replaces every decimal digit of another script by the digits 0 to 9. */
export function westernDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹０-９]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = zeros.find((first) => code >= first && code < first + 10) ?? code;
    return String(code - zero);
  });
}

export const digitsOf = (text: string): string => westernDigits(text).replace(/\D/g, '');
