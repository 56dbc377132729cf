import type { PaymentMethod } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { isExpired } from '../lib/cards.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { PaymentMethodRow } from './row.ts';

/** A saved method as the API shows it (decisions, "Shapes"). */
export function presentPaymentMethod(
  row: PaymentMethodRow,
  { livemode, now }: Pick<AccountContext, 'livemode' | 'now'>,
): PaymentMethod {
  return {
    id: row.id,
    object: 'payment_method',
    type: row.type,
    customer: row.customer_id,
    brand: row.brand,
    last4: row.last4,
    bin: row.bin,
    exp_month: row.exp_month,
    exp_year: row.exp_year,
    recurring_processing_model: row.recurring_processing_model,
    provider: row.provider,
    status: row.gone_at !== null || isOver(row, now) ? 'expired' : 'active',
    livemode,
    created: unixSeconds(row.created_at),
  };
}

const isOver = ({ exp_month: month, exp_year: year }: PaymentMethodRow, now: Date) =>
  month !== null && year !== null && isExpired(month, year, now);
