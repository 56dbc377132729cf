import { luhnDouble, normaliseCardNumber } from '../cards.ts';

const shortest = 13;
const longest = 19;
const foreignDigit = /[^\P{Nd}0-9]/gu;

/** The text with the decimal digits of every script as 0 to 9; anything else stays as it is. */
export function westernDigits(text: string): string {
  return text.replaceAll(foreignDigit, (digit) => {
    const plain = digit.normalize('NFKC');
    if (/^\d$/.test(plain)) return plain;
    // The digits of a script stand in a row, from a multiple of 16 on or six after one.
    const code = digit.codePointAt(0) ?? 0;
    const row = code & ~0xf;
    const zero = /\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6;
    return String((code - zero) % 10);
  });
}

/** The digits of a text, parted only where letters stand between them: any spacing and punctuation is left out. */
function digitRuns(text: string): readonly string[] {
  if (!/\p{N}/u.test(text)) return [];
  return (
    westernDigits(text.normalize('NFKC'))
      .replaceAll(/[^\p{L}\d]/gu, '')
      .match(/\d+/g) ?? []
  );
}

/**
 * Whether a text holds 13 to 19 digits in a row that pass the Luhn check, in any script and spacing: what no person's name
 * has (decisions, "Limits and refusals").
 */
export function holdsCardNumber(text: string): boolean {
  return digitRuns(text).some(holdsLuhnStretch);
}

/** Whether a text holds this number, in any script and spacing. @param number digits alone */
export function holdsNumber(text: string, number: string): boolean {
  return digitRuns(text).some((run) => run.includes(number));
}

/** Walks left from each digit, so that one running sum serves all lengths. */
function holdsLuhnStretch(digits: string): boolean {
  for (let end = shortest - 1; end < digits.length; end += 1) {
    let sum = 0;
    for (let length = 1; length <= longest && length <= end + 1; length += 1) {
      const digit = digits.charCodeAt(end + 1 - length) - 0x30;
      sum += length % 2 === 1 ? digit : luhnDouble(digit);
      if (length >= shortest && sum % 10 === 0) return true;
    }
  }
  return false;
}

/** The digits of the card number that a body holds at a path such as `payment_method.number`; undefined: it holds none. */
export function cardNumberIn(body: unknown, path: string): string | undefined {
  const value = path
    .split('.')
    .reduce((inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name], body);
  const digits = typeof value === 'string' ? normaliseCardNumber(value) : '';
  return /^\d{12,19}$/.test(digits) ? digits : undefined;
}
