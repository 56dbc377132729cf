import type { LineItem } from '@till/contract';
import { asciiText } from '../../../lib/text/ascii.ts';
import type { ChargeRequest, OrderData } from '../../port/port.ts';
import { type UnsentField, unsentLevelThree } from '../../port/unsent.ts';
import { addressCountry, upstreamState } from '../wire/address.ts';
import { toUpstreamAmount } from '../wire/money.ts';

/** One line of Level 3 data. Amounts are in the upstream's minor units. */
export interface ItemDetailLine {
  readonly description?: string | undefined;
  readonly productCode?: string | undefined;
  readonly quantity?: number | undefined;
  readonly unitPrice?: number | undefined;
  readonly totalAmount?: number | undefined;
  readonly discountAmount?: number | undefined;
  readonly unitOfMeasure?: string | undefined;
  readonly commodityCode?: string | undefined;
}

/** `enhancedSchemeData.levelTwoThree`. Amounts are in the upstream's minor units. */
export interface LevelTwoThree {
  readonly customerReferenceNumber?: string | undefined;
  readonly totalTaxAmount?: number | undefined;
  readonly freightAmount?: number | undefined;
  readonly dutyAmount?: number | undefined;
  readonly shipFromPostalCode?: string | undefined;
  readonly destination?: Destination | undefined;
  readonly orderDate?: string | undefined;
  readonly itemDetailLines?: readonly ItemDetailLine[] | undefined;
}

interface Destination {
  readonly countryCode?: string | undefined;
  readonly postalCode?: string | undefined;
  readonly stateOrProvince?: string | undefined;
}

const maxAmount = 10_000_000_000;
const maxQuantity = 9999;
/** The older key-value form of this data has nine lines; it was never confirmed that more arrive. */
const maxLines = 9;

/** Postal code formats of the countries for which the upstream validates them here. */
const postalCodeForms: ReadonlyMap<string, RegExp> = new Map([
  ['US', /^\d{5}(?:-?\d{4})?$/],
  ['CA', /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i],
]);

/**
 * Level 2 data if the order has a tax or an invoice id, and also Level 3 data if every line has a commodity code or unit of
 * measure; otherwise undefined. A value beyond an upstream limit is left out alone, because better rates are worth less than
 * the payment (Adyen API, LevelTwoThree and ItemDetailLine).
 */
export function levelTwoThree(request: ChargeRequest): LevelTwoThree | undefined {
  const { order, currency } = request;
  const tax = limitedAmount(orderTax(order), currency);
  const reference = [order.invoiceId, request.reference ?? undefined]
    .map((text) => limitedCode(text, 25))
    .find((code) => code !== undefined);
  if (!hasLevelThree(order)) {
    // Level 2 data must not state a tax of zero.
    const totalTaxAmount = tax === 0 ? undefined : tax;
    return totalTaxAmount === undefined && order.invoiceId === undefined
      ? undefined
      : nonEmpty({ customerReferenceNumber: reference, totalTaxAmount });
  }
  return {
    customerReferenceNumber: reference,
    totalTaxAmount: tax,
    freightAmount: limitedAmount(sumOf(order.shippingAmount, order.handlingAmount), currency),
    dutyAmount: limitedAmount(order.dutyAmount, currency),
    shipFromPostalCode: limitedText(order.shipsFromPostalCode, 10),
    destination: destination(request),
    orderDate: request.createdAt.toISOString().slice(0, 10),
    itemDetailLines: itemDetailLines(order, currency),
  };
}

/** The Level 3 fields of a charge that the adapter leaves out of its request to the upstream. */
export function unsentFields(request: ChargeRequest): UnsentField[] {
  const { order } = request;
  const sent = hasLevelThree(order) ? levelTwoThree(request) : undefined;
  if (sent === undefined) return unsentLevelThree(order, null);
  return unsentLevelThree(order, {
    dutyAmount: sent.dutyAmount !== undefined,
    shipsFromPostalCode: sent.shipFromPostalCode !== undefined,
    lines: (sent.itemDetailLines ?? []).map((line) => ({
      commodityCode: line.commodityCode !== undefined,
      unitOfMeasure: line.unitOfMeasure !== undefined,
    })),
  });
}

const hasLevelThree = (order: OrderData): boolean =>
  order.lineItems.length > 0 &&
  order.lineItems.every((item) => item.commodity_code !== undefined || item.unit_of_measure !== undefined);

/** The order's tax in ISO minor units: the stated total, else the sum over the lines that have a tax. */
function orderTax(order: OrderData): number | undefined {
  const ofLines = order.lineItems.flatMap((item) =>
    item.tax === undefined ? [] : [item.tax * (item.quantity ?? 1)],
  );
  return order.taxAmount ?? sumOf(...ofLines);
}

function itemDetailLines(order: OrderData, currency: string): ItemDetailLine[] {
  const totals = order.lineItems.map((item) => item.unit_amount * (item.quantity ?? 1));
  const discounts = sharesOf(order.discountAmount ?? 0, totals);
  return order.lineItems.slice(0, maxLines).map((item, index) => {
    const discount = discounts[index] ?? 0;
    return {
      description: itemDescription(item),
      productCode: limitedCode(item.sku, 12),
      quantity: (item.quantity ?? 1) <= maxQuantity ? (item.quantity ?? 1) : undefined,
      unitPrice: limitedAmount(item.unit_amount, currency),
      totalAmount: limitedAmount((totals[index] ?? 0) - discount, currency),
      discountAmount: discount === 0 ? undefined : limitedAmount(discount, currency),
      unitOfMeasure: limitedText(item.unit_of_measure, 3),
      commodityCode: limitedCode(item.commodity_code, 12),
    };
  });
}

/**
 * Splits the order's discount over its lines in proportion to their totals. Shares are differences of rounded-down running
 * sums, so they add up to the discount and none exceeds its line's total.
 */
function sharesOf(discount: number, totals: readonly number[]): number[] {
  const whole = totals.reduce((sum, total) => sum + total, 0);
  const split = Math.min(discount, whole);
  let running = 0;
  let given = 0;
  return totals.map((total) => {
    running += total;
    // The product of two amounts can exceed the safe integers.
    const due = whole === 0 ? 0 : Number((BigInt(split) * BigInt(running)) / BigInt(whole));
    const share = due - given;
    given = due;
    return share;
  });
}

function destination({ deliveryAddress }: ChargeRequest): Destination | undefined {
  if (deliveryAddress === null) return undefined;
  const countryCode = addressCountry(deliveryAddress);
  const postalCode = limitedText(deliveryAddress.postal_code, 10);
  const form = postalCodeForms.get(countryCode ?? '');
  return nonEmpty({
    countryCode,
    postalCode: form === undefined || form.test(postalCode ?? '') ? postalCode : undefined,
    stateOrProvince: upstreamState(deliveryAddress.state, countryCode ?? ''),
  });
}

/** At most 26 characters of the line's name. The upstream refuses a single character, or a text of punctuation only. */
function itemDescription(item: LineItem): string | undefined {
  const text = asciiText(item.name).slice(0, 26).trimEnd();
  return text.length > 1 && /[A-Za-z1-9]/.test(text) ? text : undefined;
}

/** An amount in the upstream's minor units; undefined if the upstream cannot express it or it exceeds the limit. */
function limitedAmount(amount: number | undefined, currency: string): number | undefined {
  const value = amount === undefined ? undefined : toUpstreamAmount(amount, currency);
  return value !== undefined && value <= maxAmount ? value : undefined;
}

/** Converts the text to ASCII; undefined if the result is empty or too long. */
function limitedText(text: string | undefined, maxLength: number): string | undefined {
  const ascii = asciiText(text ?? '');
  return ascii !== '' && ascii.length <= maxLength ? ascii : undefined;
}

/** Like `limitedText`, but a code must also not be all zeros. */
function limitedCode(text: string | undefined, maxLength: number): string | undefined {
  const ascii = limitedText(text, maxLength);
  return ascii !== undefined && !/^0+$/.test(ascii) ? ascii : undefined;
}

/** The sum of the amounts that are present; undefined if none is. */
function sumOf(...amounts: readonly (number | undefined)[]): number | undefined {
  const given = amounts.filter((amount) => amount !== undefined);
  return given.length === 0 ? undefined : given.reduce((sum, amount) => sum + amount, 0);
}

const nonEmpty = <T extends object>(object: T): T | undefined =>
  Object.values(object).every((value) => value === undefined) ? undefined : object;
