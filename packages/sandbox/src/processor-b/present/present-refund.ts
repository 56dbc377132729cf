import type { JsonObject } from '../../lib/json.ts';
import { moneyOf } from '../model/amounts.ts';
import { internetTime, type Order, type Refund } from '../model/order.ts';
import { refundedAmount, refundStatus } from '../model/refund-status.ts';
import { type View, zeroOf } from './present.ts';

/** A refund with its status at the view's time (PayPal Payments v2, refund). */
export function showRefund(order: Order, refund: Refund, view: View): JsonObject {
  const { id, reference, invoiceId, note, amount } = refund;
  const status = refundStatus(refund, view.now);
  const total = refundedAmount(order, view.now, 'PENDING', 'COMPLETED');
  return {
    id,
    status,
    ...(status === 'PENDING' ? { status_details: { reason: 'ECHECK' } } : {}),
    amount,
    custom_id: reference,
    ...(invoiceId === null ? {} : { invoice_id: invoiceId }),
    ...(note === null ? {} : { note_to_payer: note }),
    seller_payable_breakdown: {
      gross_amount: amount,
      paypal_fee: zeroOf(amount),
      net_amount: amount,
      total_refunded_amount: moneyOf(total, amount.currency_code),
    },
    create_time: internetTime(new Date(refund.createdAt)),
    update_time: internetTime(view.now),
    links: [
      { href: `${view.api}/v2/payments/refunds/${id}`, rel: 'self', method: 'GET' },
      { href: `${view.api}/v2/payments/captures/${order.capture?.id}`, rel: 'up', method: 'GET' },
    ],
  };
}
