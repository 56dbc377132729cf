import { sandboxLimits } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

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
  from payments where tenant = $1 and status = $2 order by seq desc limit $3`;

/** The newest payments in one status. @param tenant in test mode */
export const listPayments = (
  db: Queryable,
  tenant: Tenant,
  status: 'requires_action' | 'succeeded',
): Promise<ListedPayment[]> =>
  db.query<ListedPayment>({
    name: 'sandbox_payments',
    text: newestPayments,
    values: [tenant.tenant, status, sandboxLimits.listed],
    scope: tenant,
  });

export interface ListedRefund {
  readonly id: string;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: Date;
}

/** The newest refunds that the processor has and has not settled. @param tenant in test mode */
export const listPendingRefunds = (db: Queryable, tenant: Tenant): Promise<ListedRefund[]> =>
  db.query<ListedRefund>({
    name: 'sandbox_refunds',
    text: `select id, payment_id as payment, amount, currency, created_at from refunds
           where tenant = $1 and status = 'pending' order by seq desc limit $2`,
    values: [tenant.tenant, sandboxLimits.listed],
    scope: tenant,
  });

/** How many holds pass the end of their guarantee, and their own end, between two moments. @param tenant in test mode */
export async function countHolds(
  db: Queryable,
  tenant: Tenant,
  from: Date,
  to: Date,
): Promise<{ unguaranteed: number; expired: number }> {
  const [row] = await db.query<{ unguaranteed: number; expired: number }>({
    name: 'sandbox_holds',
    text: `select count(*) filter (where authorization_guaranteed_until between $2 and $3) as unguaranteed,
             count(*) filter (where authorization_expires between $2 and $3) as expired
           from payments where tenant = $1 and status = 'authorized'`,
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
  return row ?? { unguaranteed: 0, expired: 0 };
}
