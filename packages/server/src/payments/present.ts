import type { AvsVerdict, FailureCode, Payment, PaymentMethodSummary, ThreeDSecure } from '@till/contract';
import { unixSeconds } from '../lib/clock.ts';
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
  readonly method_type: 'card' | 'card_fields' | 'processor_b';
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly payment_method_id: string | null;
  readonly renews_payment: string | null;
  readonly failure_code: FailureCode | null;
  readonly three_d_secure: ThreeDSecure | null;
  readonly avs: AvsVerdict | null;
  readonly upstream_reference: string | null;
  readonly network_transaction_reference: string | null;
  readonly created_at: Date;
}

function presentMethod(row: PaymentRow): PaymentMethodSummary {
  const { method_type: type, brand, last4, exp_month, exp_year } = row;
  return {
    type,
    brand,
    last4,
    ...(exp_month === null ? {} : { exp_month }),
    ...(exp_year === null ? {} : { exp_year }),
  };
}

/** A payment as the API shows it (spec, "Payment (response object)"). */
export function presentPayment(row: PaymentRow): Payment {
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
    ...(row.three_d_secure === null ? {} : { three_d_secure: row.three_d_secure }),
    ...(row.avs === null ? {} : { avs: row.avs }),
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
  };
}
