import { sandboxLimits } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';

export interface ListedPayment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly method_type: string;
  readonly last4: string | null;
  readonly reference: string | null;
  readonly created_at: Date;
  readonly confirm_by: Date | null;
  readonly buyer_done: boolean;
}

const newestPayments = `select id, amount, currency, method_type, last4, reference, created_at,
    case when status = 'requires_action' then confirm_by end as confirm_by,
    status = 'requires_action' and buyer_done_at is not null as buyer_done
  from payments where account_id = $1 and livemode = false and status = $2 order by seq desc limit $3`;

/** The newest payments in one status, of the sandbox. */
export const listPayments = (
  db: Queryable,
  accountId: string,
  status: 'requires_action' | 'succeeded',
): Promise<ListedPayment[]> =>
  db.query<ListedPayment>({
    name: 'sandbox_payments',
    text: newestPayments,
    values: [accountId, status, sandboxLimits.listed],
    scope: { accountId, livemode: null },
  });

export interface ListedRefund {
  readonly id: string;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: Date;
}

/** The newest refunds of the sandbox that the processor has and has not settled. */
export const listPendingRefunds = (db: Queryable, accountId: string): Promise<ListedRefund[]> =>
  db.query<ListedRefund>({
    name: 'sandbox_refunds',
    text: `select id, payment_id as payment, amount, currency, created_at from refunds
           where account_id = $1 and livemode = false and status = 'pending' order by seq desc limit $2`,
    values: [accountId, sandboxLimits.listed],
    scope: { accountId, livemode: null },
  });

/** How many holds of the sandbox pass the end of their guarantee, and their own end, between two moments. */
export async function countHolds(
  db: Queryable,
  accountId: string,
  from: Date,
  to: Date,
): Promise<{ unguaranteed: number; expired: number }> {
  const [row] = await db.query<{ unguaranteed: number; expired: number }>({
    name: 'sandbox_holds',
    text: `select count(*) filter (where authorization_guaranteed_until between $2 and $3) as unguaranteed,
             count(*) filter (where authorization_expires between $2 and $3) as expired
           from payments where account_id = $1 and livemode = false and status = 'authorized'`,
    values: [accountId, from, to],
    scope: { accountId, livemode: null },
  });
  return row ?? { unguaranteed: 0, expired: 0 };
}
