import { currencyExponent } from '@till/contract/currencies';
import { formatAmount, parseAmount } from '../../../lib/money.ts';
import { jsonObject } from '../../wire/json.ts';

export interface Money {
  readonly currency_code: string;
  readonly value: string;
}

/** Currencies with minor units that the upstream takes in whole units only (PayPal REST docs, "Currency codes"). */
const wholeUnitsOnly: ReadonlySet<string> = new Set(['HUF', 'TWD']);
/** Decimals that it takes of any other. */
const decimalsMax = 2;

/**
 * An amount in ISO 4217 minor units as the upstream's decimal string, or undefined where it has no such form: an unknown
 * currency, more decimals than the upstream takes, or no amount (PayPal REST docs, "Currency codes").
 */
export function toMoney(amount: number, currency: string): Money | undefined {
  const exponent = currencyExponent(currency);
  if (exponent === undefined || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  const decimals = wholeUnitsOnly.has(currency) ? 0 : Math.min(exponent, decimalsMax);
  const surplus = exponent - decimals;
  if (amount % 10 ** surplus !== 0) return undefined;
  const text = formatAmount(amount, currency);
  const value = surplus === 0 ? text : text.slice(0, -surplus).replace(/\.$/, '');
  return { currency_code: currency, value };
}

/** Whether a money object of an answer says exactly this amount; one that is missing or garbled does not. */
export function isAmount(money: unknown, amount: number, currency: string): boolean {
  const { currency_code: code, value } = jsonObject(money);
  return code === currency && typeof value === 'string' && parseAmount(value, currency) === amount;
}

/** A money object of an answer in minor units, or undefined where it is none that is more than nothing. */
export function fromMoney(money: unknown): { amount: number; currency: string } | undefined {
  const { currency_code: currency, value } = jsonObject(money);
  const amount =
    typeof currency === 'string' && typeof value === 'string' ? parseAmount(value, currency) : undefined;
  return typeof currency === 'string' && amount !== undefined && amount > 0
    ? { amount, currency }
    : undefined;
}
