import { type LineItem, limits, type PaymentCreate } from '@till/contract';
import type { OrderData } from '../../processors/port/port.ts';

/** The line items and the parts of the amount, as they were sent; all amounts in minor units. */
export type OrderAmounts = Pick<
  PaymentCreate,
  | 'amount'
  | 'line_items'
  | 'tax_amount'
  | 'shipping_amount'
  | 'handling_amount'
  | 'discount_amount'
  | 'duty_amount'
>;

/** A line item with its quantity filled in. Its `upc`, if it has one, has a type that processors know. */
export type ReconciledItem = LineItem & { readonly quantity: number };

export interface ReconciledOrder
  extends Pick<
    OrderData,
    'taxAmount' | 'shippingAmount' | 'handlingAmount' | 'discountAmount' | 'dutyAmount'
  > {
  readonly lineItems: readonly ReconciledItem[];
}

export type Reconciliation = { readonly ok: true; readonly order: ReconciledOrder } | Refusal;

interface Refusal {
  readonly ok: false;
  readonly param: string;
  readonly message: string;
}

const amountParts = [
  'tax_amount',
  'shipping_amount',
  'handling_amount',
  'discount_amount',
  'duty_amount',
] as const;
const maxQuantity = 999_999_999;
const upcTypes: ReadonlySet<string> = new Set([
  'UPC-A',
  'UPC-B',
  'UPC-C',
  'UPC-D',
  'UPC-E',
  'UPC-2',
  'UPC-5',
]);

/**
 * Checks the line items against the amount (spec, "Line items"): they must total exactly `amount` less tax, shipping and
 * handling, plus discount. If any item has `tax`, the items' tax is the tax of the order, and must equal `tax_amount` if that
 * was sent too. Duty is only passed on to the processor. Without items there is nothing to compare, and the parts are passed on
 * as they were sent.
 * @returns the order as adapters expect it, or the refused field and what it should have been
 */
export function reconcile(order: OrderAmounts): Reconciliation {
  const outOfRange = firstOutOfRange(order);
  if (outOfRange !== undefined) return outOfRange;
  const items = (order.line_items ?? []).map(normaliseItem);
  const itemTax = items.some((item) => item.tax !== undefined)
    ? total(items, (item) => item.tax ?? 0)
    : undefined;
  if (itemTax !== undefined && order.tax_amount !== undefined && itemTax !== BigInt(order.tax_amount)) {
    return refuse('tax_amount', `tax_amount must equal the tax of the line items, which is ${itemTax}.`);
  }
  if (items.length > 0) {
    const expected = expectedTotal(order, itemTax);
    const actual = total(items, (item) => item.unit_amount);
    if (actual !== expected) {
      const rule = 'amount less tax, shipping and handling plus discount';
      return refuse('line_items', `line_items must total ${expected} (${rule}); they total ${actual}.`);
    }
  }
  // The equation holds, so the items' tax is at most amount + discount and fits a number.
  const tax = itemTax === undefined ? order.tax_amount : Number(itemTax);
  return { ok: true, order: { lineItems: items, ...namedParts(order, tax) } };
}

/** Sums up in `bigint`: unit amount times quantity can exceed 2^53 by far, and a rounded sum could match by accident. */
function total(items: readonly ReconciledItem[], figure: (item: ReconciledItem) => number): bigint {
  return items.reduce((sum, item) => sum + BigInt(figure(item)) * BigInt(item.quantity), 0n);
}

function expectedTotal(order: OrderAmounts, itemTax: bigint | undefined): bigint {
  const tax = itemTax ?? BigInt(order.tax_amount ?? 0);
  const shippingAndHandling = BigInt(order.shipping_amount ?? 0) + BigInt(order.handling_amount ?? 0);
  return BigInt(order.amount) - tax - shippingAndHandling + BigInt(order.discount_amount ?? 0);
}

/** Checks the ranges of the contract again, because the arithmetic here relies on them. */
function firstOutOfRange(order: OrderAmounts): Refusal | undefined {
  const field = (['amount', ...amountParts] as const).find((name) => !isAmount(order[name] ?? 0));
  if (field !== undefined) return refuse(field, `${field} must be an integer from 0 to ${limits.amountMax}.`);
  if ((order.line_items ?? []).every(hasValidFigures)) return undefined;
  return refuse('line_items', 'line_items must have integers in range as unit_amount, tax and quantity.');
}

function hasValidFigures({ unit_amount, tax = 0, quantity = 1 }: LineItem): boolean {
  return isAmount(unit_amount) && isAmount(tax) && isIntegerWithin(quantity, 1, maxQuantity);
}

function isAmount(value: number): boolean {
  return isIntegerWithin(value, 0, limits.amountMax);
}

function isIntegerWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function refuse(param: string, message: string): Refusal {
  return { ok: false, param, message };
}

function normaliseItem({ upc, ...item }: LineItem): ReconciledItem {
  const known = upc === undefined ? undefined : knownUpc(upc);
  return { ...item, quantity: item.quantity ?? 1, ...(known === undefined ? {} : { upc: known }) };
}

/** A code without a known type is a UPC-A if it has 12 digits; otherwise it is dropped. */
function knownUpc(upc: NonNullable<LineItem['upc']>): { type: string; code: string } | undefined {
  if (upc.type !== undefined && upcTypes.has(upc.type)) return { type: upc.type, code: upc.code };
  return upc.code.length === 12 ? { type: 'UPC-A', code: upc.code } : undefined;
}

function namedParts(order: OrderAmounts, tax: number | undefined): Omit<ReconciledOrder, 'lineItems'> {
  return {
    ...(tax === undefined ? {} : { taxAmount: tax }),
    ...(order.shipping_amount === undefined ? {} : { shippingAmount: order.shipping_amount }),
    ...(order.handling_amount === undefined ? {} : { handlingAmount: order.handling_amount }),
    ...(order.discount_amount === undefined ? {} : { discountAmount: order.discount_amount }),
    ...(order.duty_amount === undefined ? {} : { dutyAmount: order.duty_amount }),
  };
}
