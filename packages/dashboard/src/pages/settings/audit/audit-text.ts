import { formatMoney } from '../../../lib/amounts/money.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The name of a field in words: `payment_method` becomes `payment method`. */
export const fieldName = (name: string): string => name.replaceAll('_', ' ');

/** Whether a field contains minor units of the currency that stands beside it. */
const isAmount = (name: string): boolean => name === 'amount' || name.endsWith('_amount');

/**
 * The value of a field for people; undefined if there is none. Amounts are minor units of the currency beside them.
 * @param locale a language tag
 */
export function valueText(name: string, fields: Fields, locale: string): string | undefined {
  const value = fields[name];
  const { currency } = fields;
  if (typeof value === 'number' && isAmount(name) && typeof currency === 'string') {
    return formatMoney(value, currency, locale);
  }
  return plainText(value, locale);
}

function plainText(value: unknown, locale: string): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    return value.map((one) => plainText(one, locale) ?? 'none').join(', ') || undefined;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = value as Fields;
  const texts = Object.keys(fields).flatMap((name) => {
    const text = valueText(name, fields, locale);
    return text === undefined ? [] : [`${fieldName(name)} ${text}`];
  });
  return texts.join(', ') || undefined;
}
