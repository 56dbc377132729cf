import { normaliseCardNumber, passesLuhn } from '../cards.ts';

const minLength = 13;
const maxLength = 19;
const foreignDigit = /[^\P{Nd}0-9]/gu;

/** Replaces the decimal digits of every script by 0 to 9, and leaves all other characters unchanged. */
export function westernDigits(text: string): string {
  return text.replaceAll(foreignDigit, (digit) => {
    const plain = digit.normalize('NFKC');
    if (/^\d$/.test(plain)) return plain;
    // The digits of a script have consecutive codes that begin at a multiple of 16, or six after one.
    const code = digit.codePointAt(0) ?? 0;
    const row = code & ~0xf;
    const zero = /\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6;
    return String((code - zero) % 10);
  });
}

/** The parts of a text between letters, which may contain numbers, with the digits of every script as 0 to 9. */
function stretches(text: string): readonly string[] {
  return /\p{N}/u.test(text) ? westernDigits(text.normalize('NFKC')).split(/\p{L}+/u) : [];
}

/**
 * Whether a text contains a run of 13 to 19 digits that passes the Luhn check, in any script and spacing. No name of a person
 * has one (decisions, "Limits and refusals").
 */
export function holdsCardNumber(text: string): boolean {
  return stretches(text).some((stretch) => {
    const groups = stretch.match(/\d+/g) ?? [];
    return groups.some((_group, first) => beginsCardNumber(groups, first));
  });
}

/** Whether this group of digits, alone or together with the next ones, forms a card number. */
function beginsCardNumber(groups: readonly string[], first: number): boolean {
  let digits = '';
  for (let at = first; at < groups.length && digits.length < maxLength; at += 1) {
    digits += groups[at];
    if (digits.length >= minLength && digits.length <= maxLength && passesLuhn(digits)) return true;
  }
  return false;
}

/** Whether a text contains this number, in any script and spacing. @param number only digits */
export function holdsNumber(text: string, number: string): boolean {
  return stretches(text).some((stretch) => stretch.replaceAll(/\D/g, '').includes(number));
}

/** The digits of the card number at a path of a body, such as `payment_method.number`; undefined if there is none. */
export function cardNumberIn(body: unknown, path: string): string | undefined {
  const value = path
    .split('.')
    .reduce((inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name], body);
  const digits = typeof value === 'string' ? normaliseCardNumber(value) : '';
  return /^\d{12,19}$/.test(digits) ? digits : undefined;
}
