import { customerById, customersMatching, maxFound } from '../../customers/search.ts';
import type { SearchWords } from '../../customers/search-words.ts';
import { customerOfDispute } from '../../disputes/sql.ts';
import { countMethodsOf, customerOfMethod, customersByCard } from '../../payment-methods/sql.ts';
import { countPaymentsOf, customerOfPayment } from '../../payments/sql.ts';
import { customerOfRefund } from '../../refunds/reads.ts';
import type { Database } from '../../store/database.ts';
import type { Conditions } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';

/** SQL of the customers that the id of a related object leads to. */
const byId = {
  customer: customerById,
  payment: customerOfPayment,
  dispute: customerOfDispute,
  method: customerOfMethod,
  refund: customerOfRefund,
} as const;

/** SQL of the ids of the customers that search words may mean. Each kind of match is limited. */
export function customersNamed(where: Conditions, search: SearchWords): string {
  switch (search.kind) {
    case 'text':
      return customersMatching(where, search.text, maxFound);
    case 'id':
      return byId[search.of](where.value(search.id));
    case 'last4':
      return customersByCard(where.value(search.last4), where.value(maxFound));
  }
}

export interface CustomerCounts {
  readonly id: string;
  /** At most 100 are counted. */
  readonly payments: number;
  /** At most 100 are counted. */
  readonly saved_methods: number;
}

/** Counts the payments and saved methods of several customers. */
export async function countsOf(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CustomerCounts>> {
  const rows = await db.query<CustomerCounts>({
    name: 'dashboard_customer_counts',
    text: `select k.id,
             ${countPaymentsOf('k.id', 100)} as payments,
             ${countMethodsOf('k.id', 100)} as saved_methods
           from unnest($2::text[]) as k (id)`,
    values: [tenant.tenant, ids],
    scope: tenant,
  });
  return new Map(rows.map((row) => [row.id, row]));
}
