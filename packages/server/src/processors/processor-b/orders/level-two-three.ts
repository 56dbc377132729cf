import { asciiText } from '../../../lib/text/ascii.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { type UnsentField, unsentLevelThree } from '../../port/unsent.ts';
import { paysByWallet } from '../saved-methods/vaulting.ts';
import { type Money, toMoney } from '../wire/money.ts';
import { type UpstreamAddress, upstreamAddress } from './address.ts';
import { type Basket, basket as basketOf, type UpstreamItem } from './basket.ts';

interface LevelTwo {
  readonly invoice_id?: string | undefined;
  readonly tax_total?: Money | undefined;
}

interface LevelThreeLine extends UpstreamItem {
  readonly commodity_code?: string | undefined;
  readonly unit_of_measure?: string | undefined;
  readonly total_amount?: Money | undefined;
}

interface LevelThree {
  readonly shipping_amount?: Money | undefined;
  readonly duty_amount?: Money | undefined;
  readonly discount_amount?: Money | undefined;
  readonly shipping_address?: UpstreamAddress | undefined;
  readonly ships_from_postal_code?: string | undefined;
  readonly line_items: readonly LevelThreeLine[];
}

/** `supplementary_data.card`. */
export interface CardData {
  readonly level_2?: LevelTwo | undefined;
  readonly level_3?: LevelThree | undefined;
}

const maxLines = 100;

/**
 * Level 2 data if the order has a tax or an invoice id, and also Level 3 data if every line has a commodity code or unit of
 * measure; otherwise undefined. A value beyond an upstream limit is left out alone, because better rates are worth less than
 * the payment (PayPal REST Orders v2, level_2_card_processing_data and level_3_card_processing_data).
 */
export function cardData(request: ChargeRequest, basket: Basket | undefined): CardData | undefined {
  const levelThree = levelThreeData(request, basket);
  const levelTwo = levelTwoData(request, levelThree !== undefined);
  return levelTwo === undefined && levelThree === undefined
    ? undefined
    : { level_2: levelTwo, level_3: levelThree };
}

/** The Level 3 fields of a charge that the adapter leaves out of the upstream order. */
export function unsentFields(request: ChargeRequest): UnsentField[] {
  const { order } = request;
  if (paysByWallet(request.instrument)) {
    return unsentLevelThree(order, null, 'the wallet takes no Level 3 data');
  }
  const sent = levelThreeData(request, basketOf(request));
  if (sent === undefined) return unsentLevelThree(order, null);
  return unsentLevelThree(order, {
    dutyAmount: sent.duty_amount !== undefined,
    shipsFromPostalCode: sent.ships_from_postal_code !== undefined,
    lines: sent.line_items.map((line) => ({
      commodityCode: line.commodity_code !== undefined,
      unitOfMeasure: line.unit_of_measure !== undefined,
    })),
  });
}

function levelTwoData({ order, reference, currency }: ChargeRequest, always: boolean): LevelTwo | undefined {
  // A tax of zero does not qualify for a better rate.
  const tax = order.taxAmount ? toMoney(order.taxAmount, currency) : undefined;
  if (!always && tax === undefined && order.invoiceId === undefined) return undefined;
  const invoice = [order.invoiceId, reference]
    .map((text) => code(text, 17, /^[\w\-.,":;!?]+$/))
    .find((text) => text !== undefined);
  return invoice === undefined && tax === undefined ? undefined : { invoice_id: invoice, tax_total: tax };
}

function levelThreeData(request: ChargeRequest, basket: Basket | undefined): LevelThree | undefined {
  const { order, currency } = request;
  const qualified = order.lineItems.every(
    (line) => line.commodity_code !== undefined || line.unit_of_measure !== undefined,
  );
  if (basket === undefined || order.lineItems.length === 0 || !qualified) return undefined;
  const freight = (order.shippingAmount ?? 0) + (order.handlingAmount ?? 0);
  return {
    shipping_amount: positive(freight, currency),
    duty_amount: positive(order.dutyAmount ?? 0, currency),
    discount_amount: positive(order.discountAmount ?? 0, currency),
    shipping_address: upstreamAddress(request.deliveryAddress),
    ships_from_postal_code: code(order.shipsFromPostalCode, 60, productCode),
    line_items: order.lineItems.slice(0, maxLines).flatMap((line, index) => {
      const item = basket.items[index];
      const total = toMoney(line.unit_amount * (line.quantity ?? 1), currency);
      const rates = {
        commodity_code: code(line.commodity_code, 12, productCode),
        unit_of_measure: code(line.unit_of_measure, 12, productCode),
      };
      return item === undefined ? [] : [{ ...item, ...rates, total_amount: total }];
    }),
  };
}

const positive = (amount: number, currency: string): Money | undefined =>
  amount > 0 ? toMoney(amount, currency) : undefined;

const productCode = /^[a-zA-Z0-9_'.-]+$/;

/** Converts the text to ASCII; undefined if the upstream would refuse the result as a code. */
function code(text: string | null | undefined, maxLength: number, pattern: RegExp): string | undefined {
  const ascii = asciiText(text ?? '');
  return ascii.length <= maxLength && pattern.test(ascii) ? ascii : undefined;
}
