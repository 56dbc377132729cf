import {
  type AvsVerdict,
  type FailureCode,
  type MethodType,
  type NextAction,
  nextActions,
  type Payment,
  type PaymentMethodSummary,
  type ThreeDSecure,
} from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import type { RecurringModel } from '../processors/port/instruments.ts';
import type { AuthenticationDemand, UpstreamIds } from '../processors/port/port.ts';
import { failureMessage } from './failure.ts';
import type { InternalStatus } from './state.ts';

/** A payment as the database keeps it. */
export interface PaymentRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly status: InternalStatus;
  readonly version: number;
  readonly event_count: number;
  readonly amount: number;
  readonly currency: string;
  readonly customer_id: string | null;
  readonly reference: string | null;
  readonly shopper_statement: string | null;
  readonly capture_method: 'automatic' | 'manual';
  readonly method_type: MethodType;
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly payment_method_id: string | null;
  readonly renews_payment: string | null;
  readonly failure_code: FailureCode | null;
  readonly authentication: AuthenticationDemand;
  readonly three_d_secure: ThreeDSecure | null;
  readonly avs: AvsVerdict | null;
  readonly upstream: UpstreamIds;
  readonly network_transaction_reference: string | null;
  readonly required_action: boolean;
  readonly next_action: NextAction['type'] | null;
  readonly redirect_url: string | null;
  /** End of the confirmation window, in account time. */
  readonly confirm_by: Date | null;
  /** What the buyer's browser brought back from the upstream, and when it first came. */
  readonly returned: Readonly<Record<string, string>> | null;
  readonly buyer_done_at: Date | null;
  readonly confirm_attempt: number;
  readonly authorization_guaranteed_until: Date | null;
  readonly authorization_expires: Date | null;
  /** The model under which the instrument is to be kept; null: it is not. */
  readonly save_model: RecurringModel | null;
  readonly merchant_initiated: boolean;
  readonly risk_session: string | null;
  /** By which merchant account at the processor it was made (`MadeAtProcessor`). */
  readonly processor_identity: string | null;
  readonly created_at: Date;
}

/** What is shown of the instrument (decisions, "Payments"). */
export function presentMethod(
  row: Pick<PaymentRow, 'method_type' | 'brand' | 'last4' | 'exp_month' | 'exp_year'>,
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

/** Shown only while the payment waits for the buyer and the window is open (spec, "next_action object"). */
function presentNextAction(row: PaymentRow, view: PaymentView): { next_action?: NextAction } {
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

const withRedirect = (row: PaymentRow) =>
  row.redirect_url === null ? {} : { redirect_url: row.redirect_url };

/** True where the 15 minutes for confirmation have passed. @param now account time */
export const isWindowOver = (row: PaymentRow, now: Date): boolean =>
  row.confirm_by !== null && now.getTime() >= row.confirm_by.getTime();

/** What presenting needs beside the row. */
export interface PaymentView {
  /** Account time. */
  readonly now: Date;
  /** Address of the hosted page for this payment. */
  readonly checkoutUrl: (row: PaymentRow) => string;
}

/** A payment as the API shows it (spec, "Payment (response object)"). */
export function presentPayment(row: PaymentRow, view: PaymentView): Payment {
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
        : { code: row.failure_code, message: failureMessage(row.failure_code, row.livemode) },
    ...(row.authorization_guaranteed_until === null
      ? {}
      : { authorization_guaranteed_until: isoSeconds(row.authorization_guaranteed_until) }),
    ...(row.authorization_expires === null
      ? {}
      : { authorization_expires: isoSeconds(row.authorization_expires) }),
    ...presentNextAction(row, view),
    ...(row.three_d_secure === null ? {} : { three_d_secure: row.three_d_secure }),
    ...(row.avs === null ? {} : { avs: row.avs }),
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
  };
}
