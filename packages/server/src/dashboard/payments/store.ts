import { joinCustomer } from '../../customers/search.ts';
import { isDisputed, paymentOfDispute, paymentsByDispute } from '../../disputes/sql.ts';
import { joinOperation } from '../../operations/sql.ts';
import type { PaymentOperationKind } from '../../payments/operations/recoveries.ts';
import type { RelatedPayments } from '../../payments/search/matching.ts';
import { joinPaymentById } from '../../payments/sql.ts';
import { hasFailedRefund, paymentOfRefund, paymentsByRefund, pendingRefundsOf } from '../../refunds/reads.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** SQL of the payments that refunds and disputes belong to. */
export const related: RelatedPayments = {
  ofRefund: paymentOfRefund,
  ofDispute: paymentOfDispute,
  ofRefundsWith: paymentsByRefund,
  ofDisputesWith: paymentsByDispute,
};

/** The data that the list shows besides the payment itself. */
export interface PaymentExtras {
  readonly id: string;
  readonly customer_id: string | null;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly refunded_amount: number;
  readonly refund_failed: boolean;
  readonly disputed: boolean;
}

/** In the order of the ids. */
export async function paymentExtras(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
): Promise<readonly PaymentExtras[]> {
  if (ids.length === 0) return [];
  return db.query<PaymentExtras>({
    name: 'dashboard_payment_extras',
    text: `select p.id, c.id as customer_id, c.email as customer_email, c.name as customer_name, p.refunded_amount,
             ${hasFailedRefund('p.id')} as refund_failed, ${isDisputed('p.id')} as disputed
           from unnest($2::text[]) with ordinality as k (id, n)
           ${joinPaymentById('k.id')}
           left ${joinCustomer('p.customer_id')}
           order by k.n`,
    values: [tenant.tenant, ids],
    scope: tenant,
  });
}

/** The pending refunds of a payment, and its processor operation that has no answer yet. */
export interface PaymentFacts {
  /** Pending refunds, in minor units. */
  readonly pending: number;
  readonly doubt_kind: PaymentOperationKind | null;
  readonly doubt_since: Date | null;
}

export async function paymentFacts(db: Database, tenant: Tenant, paymentId: string): Promise<PaymentFacts> {
  const [row] = await db.query<PaymentFacts>({
    name: 'dashboard_payment_facts',
    text: `select o.kind as doubt_kind, o.created_at as doubt_since, ${pendingRefundsOf('$2')} as pending
           from (select 1) one left ${joinOperation('$2')}`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
  return row ?? { pending: 0, doubt_kind: null, doubt_since: null };
}
