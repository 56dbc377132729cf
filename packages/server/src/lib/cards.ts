/** Brands that the number alone identifies. Co-badged cards (Cartes Bancaires, Bancontact) have their international scheme. */
export type CardBrand =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'diners'
  | 'jcb'
  | 'maestro'
  | 'unionpay';

/** The parts of a card number that may be stored (spec, "General conventions" 6). */
export interface CardSummary {
  readonly brand: CardBrand | null;
  readonly bin: string;
  readonly last4: string;
}

/** The leading digits at which each range starts and ends, both of the same length. The ranges do not overlap. */
const ranges: readonly (readonly [from: string, to: string, brand: CardBrand])[] = [
  ['4', '4', 'visa'],
  ['51', '55', 'mastercard'],
  ['2221', '2720', 'mastercard'],
  ['34', '34', 'amex'],
  ['37', '37', 'amex'],
  ['6011', '6011', 'discover'],
  ['644', '649', 'discover'],
  ['65', '65', 'discover'],
  ['300', '305', 'diners'],
  ['3095', '3095', 'diners'],
  ['36', '36', 'diners'],
  ['38', '39', 'diners'],
  ['3528', '3589', 'jcb'],
  ['50', '50', 'maestro'],
  ['56', '58', 'maestro'],
  ['63', '63', 'maestro'],
  ['67', '67', 'maestro'],
  ['62', '62', 'unionpay'],
  ['81', '81', 'unionpay'],
];

/** Removes the spaces and hyphens that people put into card numbers (decisions, "Payments"). */
export function normaliseCardNumber(text: string): string {
  return text.replaceAll(/[ -]/g, '');
}

/** Whether the last digit is the check digit of the others (ISO/IEC 7812-1). False for anything but digits. */
export function passesLuhn(number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let fromRight = 0; fromRight < number.length; fromRight += 1) {
    const digit = Number(number[number.length - 1 - fromRight]);
    sum += fromRight % 2 === 0 ? digit : luhnDouble(digit);
  }
  return sum % 10 === 0;
}

/** The contribution to the Luhn sum of a digit in every second place from the right. */
export function luhnDouble(digit: number): number {
  return digit < 5 ? digit * 2 : digit * 2 - 9;
}

/** The brand by number range, or null if the number is in no known range. */
export function cardBrand(number: string): CardBrand | null {
  const range = ranges.find(([from, to]) => {
    const start = number.slice(0, from.length);
    return start.length === from.length && start >= from && start <= to;
  });
  return range?.[2] ?? null;
}

/**
 * The brand, the first six and the last four digits of a normalised number. Six and not eight, because PCI DSS allows six
 * besides the last four for a number of any length.
 */
export function cardSummary(number: string): CardSummary {
  return { brand: cardBrand(number), bin: number.slice(0, 6), last4: number.slice(-4) };
}

/** Whether the card's expiry month (1-12, four-digit year) is over at `now`, in UTC. */
export function isExpired(month: number, year: number, now: Date): boolean {
  return year * 12 + month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
}
