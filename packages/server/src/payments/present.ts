import { type NextAction, nextActions, type Payment, type PaymentMethodSummary } from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import { failureMessage } from './failure.ts';
import { isWindowOver, type ShownPayment } from './payment.ts';

/** The payment method as the API shows it on a payment (decisions, "Payments"). */
export function presentMethod(
  row: Pick<ShownPayment, 'method_type' | 'brand' | 'last4' | 'exp_month' | 'exp_year'>,
): PaymentMethodSummary {
  const { method_type: type, brand, last4, exp_month, exp_year } = row;
  return {
    type,
    brand,
    last4,
    ...(exp_month === null ? {} : { exp_month }),
    ...(exp_year === null ? {} : { exp_year }),
  };
}

/** `next_action` is shown only while the payment waits for its buyer and the window is open (spec, "next_action object"). */
function presentNextAction(row: ShownPayment, view: PaymentView): { next_action?: NextAction } {
  if (row.status !== 'requires_action' || row.next_action === null || isWindowOver(row, view.now)) return {};
  const checkoutUrl = view.checkoutUrl(row);
  const { showsRedirectUrl, showsCheckoutUrl } = nextActions[row.next_action];
  return {
    next_action: {
      type: row.next_action,
      ...(showsRedirectUrl ? withRedirect(row) : {}),
      ...(showsCheckoutUrl ? { checkout_url: checkoutUrl } : {}),
    },
  };
}

const withRedirect = (row: ShownPayment) =>
  row.redirect_url === null ? {} : { redirect_url: row.redirect_url };

/** What `presentPayment` needs beside the row. */
export interface PaymentView {
  readonly livemode: boolean;
  /** Account time. */
  readonly now: Date;
  /** Address of the hosted page for this payment. */
  readonly checkoutUrl: (row: Pick<ShownPayment, 'id'>) => string;
}

/** A payment as the API shows it (spec, "Payment (response object)"). */
export function presentPayment(row: ShownPayment, view: PaymentView): Payment {
  if (row.status === 'processing') throw new Error(`${row.id} has no answer yet and cannot be shown`);
  return {
    id: row.id,
    object: 'payment',
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    reference: row.reference,
    shopper_statement: row.shopper_statement,
    customer: row.customer_id,
    payment_method: presentMethod(row),
    payment_method_id: row.payment_method_id,
    renews_payment: row.renews_payment,
    ...(row.capture_method === 'manual' ? { capture_method: 'manual' as const } : {}),
    failure:
      row.failure_code === null
        ? null
        : { code: row.failure_code, message: failureMessage(row.failure_code, view.livemode) },
    ...(row.authorization_guaranteed_until === null
      ? {}
      : { authorization_guaranteed_until: isoSeconds(row.authorization_guaranteed_until) }),
    ...(row.authorization_expires === null
      ? {}
      : { authorization_expires: isoSeconds(row.authorization_expires) }),
    ...presentNextAction(row, view),
    ...(row.three_d_secure === null ? {} : { three_d_secure: row.three_d_secure }),
    ...(row.avs === null ? {} : { avs: row.avs }),
    ...(row.payment_link_id === null ? {} : { payment_link: row.payment_link_id }),
    livemode: view.livemode,
    created: unixSeconds(row.created_at),
  };
}
