import { walletType } from '@till/contract';
import type { PaymentRow } from '../../payments/payment.ts';
import { type Html, html, isolated, nothing } from './html.ts';
import { orderTable, shownDescription } from './order.ts';
import { type PaymentScene, walletName } from './scene.ts';
import type { TextKey } from './texts/texts.ts';

const brandNames: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  maestro: 'Maestro',
  unionpay: 'UnionPay',
  bancontact: 'Bancontact',
  cartes_bancaires: 'Cartes Bancaires',
};

/** A brand's name as its scheme writes it, in every language. */
export const brandName = (brand: string): string => brandNames[brand] ?? brand;

/** A line of a receipt: its label, and its value as text. */
export type Fact = readonly [label: TextKey, value: string];

/** What a buyer may want to keep of a payment, except its time. */
export function receiptFacts({ words, shop, visit }: PaymentScene, payment: PaymentRow): readonly Fact[] {
  const { brand, last4, reference, id, currency, method_type: method } = payment;
  const amount = words.amount(payment.amount, currency);
  const description = shownDescription(visit.request);
  const facts: readonly (readonly [TextKey, string | null])[] = [
    ['fact_amount', `${amount} ${words.codeBeside(amount, currency)}`.trim()],
    ['fact_shop', shop],
    ['order_title', description],
    ['fact_reference', reference ?? id],
  ];
  const card =
    brand === null
      ? `•••• ${last4}`
      : words.plain('card_ending', { brand: brandName(brand), last4: last4 ?? '' });
  const paidWith: Fact | null =
    method === walletType ? ['fact_method', walletName] : last4 === null ? null : ['fact_card', card];
  return [...facts, ...(paidWith === null ? [] : [paidWith])].flatMap(([label, value]) =>
    value === null ? [] : [[label, value] as const],
  );
}

/** The receipt on the page: facts, time, and the order. */
export function receipt(scene: PaymentScene, payment: PaymentRow): Html {
  const { words } = scene;
  const facts = receiptFacts(scene, payment).map(
    ([label, value]) => html`<dt>${words.text(label)}</dt><dd>${isolated(value)}</dd>`,
  );
  return html`<dl class="facts">${facts}<dt>${words.text('fact_time')}</dt><dd>${words.moment(payment.created_at)}</dd></dl>
${orderTable(scene, payment)}`;
}

/** The outcome of a request for the receipt by mail. */
export type ReceiptState = 'receipt_sent' | 'receipt_spent' | 'receipt_wrong' | null;

/** The form that asks where to send the receipt. @param entered what was typed if it was no address */
export function receiptForm({ words, path }: PaymentScene, state: ReceiptState, entered = ''): Html {
  if (state === 'receipt_sent' || state === 'receipt_spent') {
    return html`<p class="status" role="status" tabindex="-1" autofocus>${words.text(state)}</p>\n`;
  }
  const wrong = state === 'receipt_wrong';
  const problem = html`<p class="problem" id="email-problem">${wrong ? words.text(state) : ''}</p>`;
  return html`<form method="post" action="${path}/receipt" class="keep" novalidate>
<div class="label"><label for="email">${words.text('receipt_email')}</label></div>
<p class="hint" id="email-hint">${words.text('receipt_hint')}</p>
<input id="email" name="email" type="email" autocomplete="email" dir="ltr" maxlength="254" value="${entered}" aria-required="true" aria-describedby="email-hint email-problem"${wrong ? html` aria-invalid="true" autofocus` : nothing}>
${problem}
<button class="plain" type="submit">${words.text('receipt_send')}</button>
</form>
`;
}
