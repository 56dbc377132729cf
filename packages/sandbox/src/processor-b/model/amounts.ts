import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { fromDecimal, isoExponent, payPalDecimals } from '../../lib/money.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { requiredObject } from '../wire/fields.ts';
import type { Money } from './order.ts';

export interface ReadMoney {
  readonly money: Money;
  /** In the merchant's minor units. */
  readonly minor: number;
}

function readCurrency(value: unknown, field: string): string {
  if (value === undefined || value === null) throw malformed('MISSING_REQUIRED_PARAMETER', field);
  if (typeof value !== 'string' || value.length !== 3) throw malformed('INVALID_STRING_LENGTH', field);
  if (!/^[A-Z]{3}$/.test(value)) throw unprocessable('INVALID_CURRENCY_CODE', field);
  return value;
}

/** Reads an amount of money (PayPal REST, money). Zero is allowed. */
export function readMoney(source: unknown, field: string): ReadMoney {
  const { currency_code, value } = requiredObject(source, field);
  const currency = readCurrency(currency_code, `${field}/currency_code`);
  if (value === undefined || value === null) throw malformed('MISSING_REQUIRED_PARAMETER', `${field}/value`);
  if (typeof value !== 'string' || value.length > 32 || !/^-?(\d+|\d*\.\d+)$/.test(value)) {
    throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/value`);
  }
  if (value.startsWith('-')) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', `${field}/value`);
  const decimals = value.split('.')[1]?.length ?? 0;
  const minor = decimals > payPalDecimals(currency) ? undefined : fromDecimal(value, currency);
  if (minor === undefined) throw unprocessable('DECIMAL_PRECISION', `${field}/value`);
  return { money: { currency_code: currency, value }, minor };
}

/** Converts an amount in the merchant's minor units to PayPal's format. */
export function moneyOf(minor: number, currency_code: string): Money {
  const value = (minor / 10 ** isoExponent(currency_code)).toFixed(payPalDecimals(currency_code));
  return { currency_code, value };
}

/** The smallest amount that PayPal can represent, in minor units. */
const smallestOf = (currency: string): number => 10 ** (isoExponent(currency) - payPalDecimals(currency));

/** Whether PayPal's format can represent an amount given in minor units. */
export const isWritable = (minor: number, currency: string): boolean => minor % smallestOf(currency) === 0;

/** About half of an amount in minor units, rounded down to what PayPal can represent. */
export function halfOf(minor: number, currency: string): number {
  const smallest = smallestOf(currency);
  return Math.max(smallest, Math.floor(minor / 2 / smallest) * smallest);
}

/**
 * The fee that PayPal keeps of a wallet payment in the sandbox: 3.49 % plus 49 of the smallest units that it
 * can represent.
 */
export function walletFee(minor: number, currency: string): number {
  const smallest = smallestOf(currency);
  const fee = (Math.round((minor / smallest) * 0.0349) + 49) * smallest;
  return Math.min(fee, minor);
}

/** Reads an optional part of a total in minor units. Its currency must be that of the total. */
function partOf(source: JsonObject, name: string, field: string, currency: string): number | undefined {
  if (source[name] === undefined || source[name] === null) return undefined;
  const { money, minor } = readMoney(source[name], `${field}/${name}`);
  if (money.currency_code !== currency) {
    throw unprocessable('INVALID_CURRENCY_CODE', `${field}/${name}/currency_code`);
  }
  return minor;
}

const added = ['item_total', 'tax_total', 'shipping', 'handling', 'insurance'];
const subtracted = ['shipping_discount', 'discount'];

function checkBreakdown(amount: JsonObject, total: ReadMoney, field: string): void {
  if (!isObject(amount.breakdown)) return;
  const { breakdown } = amount;
  const { currency_code: currency } = total.money;
  const sum = (names: readonly string[]): number =>
    names.reduce((part, name) => part + (partOf(breakdown, name, `${field}/breakdown`, currency) ?? 0), 0);
  if (sum(added) - sum(subtracted) !== total.minor) throw unprocessable('AMOUNT_MISMATCH', `${field}/value`);
}

function itemTotal(
  items: readonly unknown[],
  name: 'unit_amount' | 'tax',
  field: string,
  currency: string,
): number | undefined {
  const parts = items.map((item, index) => {
    const line = requiredObject(item, `${field}/${index}`);
    if (typeof line.quantity !== 'string' || !/^[1-9]\d{0,9}$/.test(line.quantity)) {
      throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/${index}/quantity`);
    }
    const each = partOf(line, name, `${field}/${index}`, currency);
    return each === undefined ? undefined : each * Number(line.quantity);
  });
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.reduce((sum, part) => sum + part, 0);
}

function checkItems(unit: JsonObject, field: string, currency: string): void {
  const { items } = unit;
  if (items === undefined) return;
  if (!Array.isArray(items)) throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/items`);
  const breakdown = objectIn(objectIn(unit, 'amount'), 'breakdown');
  const at = `${field}/amount/breakdown`;
  const units = itemTotal(items, 'unit_amount', `${field}/items`, currency);
  const expected = partOf(breakdown, 'item_total', at, currency);
  if (units !== undefined && expected === undefined) {
    throw unprocessable('ITEM_TOTAL_REQUIRED', `${at}/item_total`);
  }
  if (units !== undefined && units !== expected) {
    throw unprocessable('ITEM_TOTAL_MISMATCH', `${at}/item_total/value`);
  }
  const taxes = itemTotal(items, 'tax', `${field}/items`, currency);
  const expectedTax = partOf(breakdown, 'tax_total', at, currency);
  if (taxes !== undefined && expectedTax === undefined) {
    throw unprocessable('TAX_TOTAL_REQUIRED', `${at}/tax_total`);
  }
  if (taxes !== undefined && taxes !== expectedTax) {
    throw unprocessable('TAX_TOTAL_MISMATCH', `${at}/tax_total/value`);
  }
}

/** Reads the total of a purchase unit and checks that its breakdown and its items add up to it. */
export function readTotal(unit: JsonObject, field: string): ReadMoney {
  const at = `${field}/amount`;
  const total = readMoney(unit.amount, at);
  if (total.minor === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', `${at}/value`);
  checkBreakdown(requiredObject(unit.amount, at), total, at);
  checkItems(unit, field, total.money.currency_code);
  return total;
}
