import type { StoredRequest } from '../../payments/kept-request.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { orderOf } from '../../payments/request/charge-request.ts';
import { type Html, html, isolated, nothing } from './html.ts';
import type { PaymentScene } from './scene.ts';
import type { TextKey } from './texts/texts.ts';

/** Orders with more lines are folded, so that the form stays visible. They unfold without JavaScript. */
const maxUnfolded = 5;
const maxDescriptionLength = 300;

/** A row of the order: what a line item, or a part such as shipping, adds to the amount, in minor units. */
export interface OrderRow {
  /** The merchant's name of a line item, or the page's word for a part. */
  readonly name: string | { readonly word: TextKey };
  readonly quantity: number;
  readonly amount: number;
}

/**
 * The line items with their taxes, shipping, handling and discount. The rows add up to the payment's amount. Empty if the
 * merchant sent no line items, since the other figures are then not checked against the amount.
 */
export function orderRows(request: StoredRequest): readonly OrderRow[] {
  const order = orderOf(request);
  if (order.lineItems.length === 0) return [];
  const lines = order.lineItems.map(({ name, quantity = 1, unit_amount: unit }) => ({
    name,
    quantity,
    amount: unit * quantity,
  }));
  const figures: readonly (readonly [TextKey, number | undefined])[] = [
    ['order_tax', order.taxAmount],
    ['order_shipping', order.shippingAmount],
    ['order_handling', order.handlingAmount],
    ['order_discount', -(order.discountAmount ?? 0)],
  ];
  const others = figures.flatMap(([word, amount = 0]) =>
    amount === 0 ? [] : [{ name: { word }, quantity: 1, amount }],
  );
  return [...lines, ...others];
}

/** The merchant's description of the payment as buyers see it, cut if it is long; null if there is none. */
export function shownDescription({ description }: StoredRequest): string | null {
  const text = description?.trim() ?? '';
  if (text === '') return null;
  const letters = Array.from(text);
  return letters.length <= maxDescriptionLength
    ? text
    : `${letters.slice(0, maxDescriptionLength).join('')}…`;
}

/** The order's rows and their total as a table; nothing if there are no line items. */
export function orderTable({ words, visit }: PaymentScene, payment: PaymentRow): Html {
  const rows = orderRows(visit.request);
  if (rows.length === 0) return nothing;
  const money = (amount: number) => isolated(words.amount(amount, payment.currency));
  const shown = rows.map(({ name, quantity, amount }) => {
    const times = quantity === 1 ? nothing : html` <span class="times">× ${String(quantity)}</span>`;
    const label = typeof name === 'string' ? isolated(name) : words.text(name.word);
    return html`<tr><th scope="row">${label}${times}</th><td>${money(amount)}</td></tr>\n`;
  });
  return html`<table class="order">
${shown}<tr class="total"><th scope="row">${words.text('order_total')}</th><td>${money(payment.amount)}</td></tr>
</table>
`;
}

/**
 * What the buyer pays for, shown before the payment: description, line items, total and reference; nothing if the merchant
 * sent none.
 */
export function orderSummary(scene: PaymentScene): Html {
  const { words, visit } = scene;
  const { payment, request } = visit;
  const description = shownDescription(request);
  const what = description === null ? nothing : html`<p class="what">${isolated(description)}</p>\n`;
  const reference =
    payment.reference === null
      ? nothing
      : html`<p class="hint">${words.text('fact_reference')} ${isolated(payment.reference)}</p>\n`;
  const count = request.line_items?.length ?? 0;
  if (count === 0) return html`${what}${reference}`;
  const folded = count > maxUnfolded;
  const title = html`${words.text('order_title')}${folded ? html` (${String(count)})` : nothing}`;
  return html`${what}<details${folded ? nothing : html` open`}><summary>${title}</summary>
${orderTable(scene, payment)}</details>
${reference}`;
}
