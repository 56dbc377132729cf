import { writeBlocks } from '../../mail/html.ts';
import type { MailMessage } from '../../mail/queue-mail.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { orderRows } from './order.ts';
import { receiptFacts } from './receipt.ts';
import type { PaymentScene } from './scene.ts';

/** The mail with a payment's receipt to its buyer, in the page's language. Times are in UTC and marked as such. */
export function receiptMail(scene: PaymentScene, payment: PaymentRow): MailMessage {
  const { words, shop, visit, isTest } = scene;
  const money = (amount: number) => words.amount(amount, payment.currency);
  const facts = receiptFacts(scene, payment).map(([label, value]) => [words.plain(label), value] as const);
  const order = orderRows(visit.request).map(({ name, quantity, amount }) => {
    const label = typeof name === 'string' ? name : words.plain(name.word);
    return [quantity === 1 ? label : `${label} × ${quantity}`, money(amount)] as const;
  });
  const total = [words.plain('order_total'), money(payment.amount)] as const;
  const blocks = [
    ...(isTest ? [words.plain('test_band')] : []),
    words.plain('paid'),
    [...facts, [words.plain('fact_time'), words.momentText(payment.created_at)] as const],
    ...(order.length === 0 ? [] : [[...order, total]]),
  ];
  return {
    subject: `${isTest ? '[Test] ' : ''}${words.plain('receipt_title')}: ${shop}`,
    ...writeBlocks(blocks, words.language),
  };
}
