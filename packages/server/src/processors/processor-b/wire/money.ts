import { currencyExponent } from '@till/contract/currencies';
import { formatAmount, parseAmount } from '../../../lib/money.ts';
import { jsonObject } from '../../wire/json.ts';

export interface Money {
  readonly currency_code: string;
  readonly value: string;
}

/** Currencies with minor units for which the upstream accepts only whole units (PayPal REST docs, "Currency codes"). */
const wholeUnitsOnly: ReadonlySet<string> = new Set(['HUF', 'TWD']);
/** Maximum decimals that it accepts for any other currency. */
const maxDecimals = 2;

/**
 * Converts an amount in ISO 4217 minor units to the upstream's decimal string. Undefined if it has no such form: an unknown
 * currency, more decimals than the upstream accepts, or an invalid amount (PayPal REST docs, "Currency codes").
 */
export function toMoney(amount: number, currency: string): Money | undefined {
  const exponent = currencyExponent(currency);
  if (exponent === undefined || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  const decimals = wholeUnitsOnly.has(currency) ? 0 : Math.min(exponent, maxDecimals);
  const surplus = exponent - decimals;
  if (amount % 10 ** surplus !== 0) return undefined;
  const text = formatAmount(amount, currency);
  const value = surplus === 0 ? text : text.slice(0, -surplus).replace(/\.$/, '');
  return { currency_code: currency, value };
}

/** Whether a money object in a response states exactly this amount; a missing or malformed one does not. */
export function isAmount(money: unknown, amount: number, currency: string): boolean {
  const { currency_code: code, value } = jsonObject(money);
  return code === currency && typeof value === 'string' && parseAmount(value, currency) === amount;
}

/** Reads a money object in a response in minor units; undefined unless it is a positive amount. */
export function fromMoney(money: unknown): { amount: number; currency: string } | undefined {
  const { currency_code: currency, value } = jsonObject(money);
  const amount =
    typeof currency === 'string' && typeof value === 'string' ? parseAmount(value, currency) : undefined;
  return typeof currency === 'string' && amount !== undefined && amount > 0
    ? { amount, currency }
    : undefined;
}
