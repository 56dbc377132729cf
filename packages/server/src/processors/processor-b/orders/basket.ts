import type { LineItem } from '@till/contract';
import type { ChargeRequest } from '../../port/port.ts';
import { cut, filled, webAddress } from '../../wire/text.ts';
import { type Money, toMoney } from '../wire/money.ts';

export interface UpstreamItem {
  readonly name: string;
  readonly unit_amount: Money;
  readonly quantity: string;
  readonly tax?: Money | undefined;
  readonly description?: string | undefined;
  readonly sku?: string | undefined;
  readonly url?: string | undefined;
  readonly image_url?: string | undefined;
  readonly upc?: { readonly type: string; readonly code: string } | undefined;
  readonly category?: string | undefined;
}

interface Breakdown {
  readonly item_total: Money;
  readonly tax_total?: Money | undefined;
  readonly shipping?: Money | undefined;
  readonly handling?: Money | undefined;
  readonly discount?: Money | undefined;
}

export interface Basket {
  readonly items: readonly UpstreamItem[];
  readonly breakdown: Breakdown;
}

/**
 * The order's lines and the breakdown of its amount, or undefined if the upstream cannot express one of them: the amount
 * alone decides what is charged. An order without lines gets a single one for the rest of the amount (PayPal REST Orders v2,
 * amount_breakdown and item).
 */
export function basket(request: ChargeRequest): Basket | undefined {
  const { order, currency } = request;
  const lines = order.lineItems.length === 0 ? singleLine(request) : order.lineItems;
  const items = lines.flatMap((line) => upstreamItem(line, currency) ?? []);
  const itemTotal = toMoney(
    lines.reduce((sum, line) => sum + line.unit_amount * (line.quantity ?? 1), 0),
    currency,
  );
  const otherAmounts = givenMoney(
    {
      tax_total: order.taxAmount,
      shipping: order.shippingAmount,
      handling: order.handlingAmount,
      discount: order.discountAmount,
    },
    currency,
  );
  const complete = items.length > 0 && items.length === lines.length;
  return complete && itemTotal !== undefined && otherAmounts !== undefined
    ? { items: withCategories(items), breakdown: { item_total: itemTotal, ...otherAmounts } }
    : undefined;
}

/** Converts the amounts that are present; undefined if the upstream cannot express one of them. */
function givenMoney<Name extends string>(
  amounts: Readonly<Record<Name, number | undefined>>,
  currency: string,
): Partial<Record<Name, Money>> | undefined {
  const result: Partial<Record<Name, Money>> = {};
  for (const name in amounts) {
    const amount = amounts[name];
    const money = amount === undefined ? undefined : toMoney(amount, currency);
    if (amount !== undefined && money === undefined) return undefined;
    if (money !== undefined) result[name] = money;
  }
  return result;
}

function singleLine({ amount, order }: ChargeRequest): LineItem[] {
  const { taxAmount = 0, shippingAmount = 0, handlingAmount = 0, discountAmount = 0 } = order;
  const rest = amount - taxAmount - shippingAmount - handlingAmount + discountAmount;
  return rest > 0 ? [{ name: filled(order.description) ?? 'Payment', unit_amount: rest }] : [];
}

/** Undefined if the upstream cannot express an amount of the line. */
function upstreamItem(line: LineItem, currency: string): UpstreamItem | undefined {
  const unitAmount = toMoney(line.unit_amount, currency);
  const tax = givenMoney({ tax: line.tax }, currency);
  if (unitAmount === undefined || tax === undefined) return undefined;
  return {
    name: cut(filled(line.name) ?? 'Item', 127),
    unit_amount: unitAmount,
    quantity: String(line.quantity ?? 1),
    ...tax,
    description: shortened(line.description),
    sku: limited(line.sku, 127),
    url: limited(webAddress(line.url), 2048),
    image_url: imageAddress(line.image_url),
    upc: line.upc?.type === undefined ? undefined : { type: line.upc.type, code: line.upc.code },
    category: line.category,
  };
}

/** The upstream refuses a mix of donations and goods. For such an order no line states its category. */
function withCategories(items: readonly UpstreamItem[]): UpstreamItem[] {
  const mixed =
    items.some((item) => item.category === 'DONATION') && items.some((item) => item.category !== 'DONATION');
  return items.map((item) => (mixed ? { ...item, category: undefined } : item));
}

function imageAddress(url: string | undefined): string | undefined {
  const address = limited(webAddress(url), 2048);
  return address !== undefined && /^https:.*\.(?:jpe?g|gif|png)$/i.test(address) ? address : undefined;
}

const shortened = (text: string | undefined): string | undefined => {
  const some = filled(text);
  return some === undefined ? undefined : cut(some, 127);
};

function limited(text: string | null | undefined, maxLength: number): string | undefined {
  const some = filled(text);
  return some !== undefined && some.length <= maxLength ? some : undefined;
}
