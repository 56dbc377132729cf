import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { withPayment } from './store.ts';

/** A named time range, in account time. */
export interface Span {
  readonly name: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

const spanArrays = (spans: readonly Span[]) => [
  spans.map(({ name }) => name),
  spans.map(({ from }) => from),
  spans.map(({ to }) => to),
];
const spanRows = 'unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) as s (name, from_at, to_at)';

export interface SpanSum {
  readonly name: string;
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
}

const disputeSums = `count(*) as count, sum(coalesce(d.amount, p.amount))::bigint as amount`;

/** Sums of disputes by the span in which they were opened. Disputes are few, so no precomputed figures are needed. */
export async function disputesBySpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
): Promise<SpanSum[]> {
  return db.query<SpanSum>({
    name: 'disputes_by_span',
    text: `select s.name, coalesce(d.currency, p.currency) as currency, ${disputeSums}
           from ${spanRows}
           join disputes d on d.tenant = $1 and d.created_at >= s.from_at
             and d.created_at < s.to_at and d.state <> 'information_request' ${withPayment}
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans)],
    scope: tenant,
  });
}

/** Sums of disputes by the span in which their payments were made. */
export async function disputesByPaymentSpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
): Promise<SpanSum[]> {
  return db.query<SpanSum>({
    name: 'disputes_by_payment_span',
    text: `select s.name, coalesce(d.currency, p.currency) as currency, ${disputeSums}
           from disputes d ${withPayment} join ${spanRows}
             on p.created_at >= s.from_at and p.created_at < s.to_at
           where d.tenant = $1 and d.state <> 'information_request'
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans)],
    scope: tenant,
  });
}
