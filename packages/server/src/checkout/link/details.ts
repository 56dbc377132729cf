import { currencyExponent } from '@till/contract/currencies';
import { parseAmount } from '../../lib/money.ts';
import { holdsCardNumber, westernDigits } from '../../lib/text/digits.ts';
import { isMailbox } from '../../mail/address.ts';
import type { LinkRow } from '../../payment-links/row.ts';
import type { TextKey } from '../pages/texts/texts.ts';

export type DetailName = 'amount' | 'reference' | 'email';
/** The text that describes the error of each entry. */
export type DetailErrors = Partial<Record<DetailName, TextKey>>;

/** What the buyer enters before paying, as it was typed. */
export type Entries = Readonly<Record<DetailName, string>>;

/** The same, parsed. */
export interface Details {
  /** In minor units. */
  readonly amount: number;
  readonly reference: string | null;
  readonly email: string | null;
}

const referenceLength = 80;

/** Whether a link asks for anything before the payment method. */
export const asksDetails = (link: LinkRow): boolean =>
  link.amount === null || link.reference_label !== null || link.save_payment_method;

const digitsOf = (text: string) => text.replaceAll(/[.,]/g, '');
const isGrouped = (text: string, mark: string) =>
  mark === '.' ? /^\d{1,3}(?:\.\d{3})+$/.test(text) : /^\d{1,3}(?:,\d{3})+$/.test(text);

/** The number in the form `12345.67`; undefined if it is ambiguous. @param exponent number of decimals of the currency */
function plainNumber(text: string, exponent: number): string | undefined {
  const place = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (place === -1) return text;
  const [mark = '', whole, fraction] = [text[place], text.slice(0, place), text.slice(place + 1)];
  const other = mark === '.' ? ',' : '.';
  if (whole.includes(other)) return isGrouped(whole, other) ? `${digitsOf(whole)}.${fraction}` : undefined;
  if (whole.includes(mark)) return isGrouped(text, mark) ? digitsOf(text) : undefined;
  if (fraction.length <= exponent) return `${whole}.${fraction}`;
  // Three digits are thousands if the currency has fewer decimals; `0.123` is a mistake.
  return isGrouped(text, mark) && !text.startsWith('0') ? digitsOf(text) : undefined;
}

/**
 * What people write beside an amount in a currency, such as `EUR` and `€`; for dollars `$` and, unless they are US
 * dollars, `CA$`.
 */
function marksOf(currency: string): string[] {
  const symbols = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay });
    return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  });
  return [currency, ...symbols];
}

/** Removes the currency's code or symbol from either end. */
function withoutMark(text: string, currency: string): string {
  const upper = text.toUpperCase();
  for (const mark of marksOf(currency)) {
    if (upper.startsWith(mark.toUpperCase())) return text.slice(mark.length);
    if (upper.endsWith(mark.toUpperCase())) return text.slice(0, -mark.length);
  }
  return text;
}

/**
 * Parses an amount as people write it: `12`, `12.5`, `12,50`, `1 234,50`, `1.234,50`, `€12`, in the digits of any script.
 * @returns minor units; undefined if the amount is ambiguous or in another currency
 */
export function readAmount(typed: string, currency: string): number | undefined {
  const text = westernDigits(withoutMark(typed.trim(), currency))
    .replaceAll(/[\s'’]/g, '')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',');
  const exponent = currencyExponent(currency) ?? 0;
  const number = /^[\d.,]*\d$/.test(text) ? plainNumber(text, exponent) : undefined;
  if (number === undefined) return undefined;
  return parseAmount(number.replace(/^0*(?=\d)/, '').replace(/^\./, '0.'), currency);
}

/** What the buyer typed. */
export const entriesOf = (form: URLSearchParams): Entries => {
  const entry = (name: DetailName) => (form.get(name) ?? '').trim().slice(0, 300);
  return { amount: entry('amount'), reference: entry('reference'), email: entry('email') };
};

function amountOf(link: LinkRow, typed: string): number | null {
  if (link.amount !== null) return link.amount;
  const amount = readAmount(typed, link.currency);
  const isWithin =
    amount !== undefined && amount >= (link.amount_min ?? 1) && amount <= (link.amount_max ?? 0);
  return isWithin ? amount : null;
}

function referenceError(reference: string): TextKey | null {
  if (holdsCardNumber(reference)) return 'link_no_card';
  const isBlank = !/[^\p{Z}\p{Cc}\p{Cf}]/u.test(reference);
  return isBlank || Array.from(reference).length > referenceLength ? 'link_reference_wrong' : null;
}

/** Reads and validates the fields that a link asks for, and ignores all others. */
export function readDetails(
  link: LinkRow,
  entries: Entries,
): { readonly details: Details } | { readonly errors: DetailErrors } {
  const amount = amountOf(link, entries.amount);
  const reference = link.reference_label === null ? null : referenceError(entries.reference);
  const isMailWrong = link.save_payment_method && !isMailbox(entries.email);
  const errors: DetailErrors = {
    ...(amount === null ? { amount: 'link_amount_wrong' } : {}),
    ...(reference === null ? {} : { reference }),
    ...(isMailWrong ? { email: 'receipt_wrong' } : {}),
  };
  if (amount === null || Object.keys(errors).length > 0) return { errors };
  return {
    details: {
      amount,
      reference: link.reference_label === null ? null : entries.reference,
      email: link.save_payment_method ? entries.email : null,
    },
  };
}
