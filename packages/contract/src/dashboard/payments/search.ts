import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Dispute } from '../../objects/dispute.ts';
import { Ref, Text } from '../../primitives/common.ts';
import { CustomerListItem } from './customers.ts';
import { PaymentListItem } from './payments.ts';

/** The first few objects that match a search text. */
export const Found = Type.Object({
  payments: Type.Array(PaymentListItem, { maxItems: 5 }),
  customers: Type.Array(CustomerListItem, { maxItems: 5 }),
  /** Disputes of the payments found. */
  disputes: Type.Array(Ref(Dispute), { maxItems: 5 }),
});
export type Found = Static<typeof Found>;

/** The dashboard's search while the person types. */
export const searchApi = {
  search: {
    id: 'search',
    method: 'GET',
    path: '/accounts/:account/search',
    roles: rolesFor.viewing,
    /** The same search text as in the lists of payments and customers. */
    query: Type.Object({ q: Text(200) }),
    answers: { 200: Found },
  },
} as const satisfies Record<string, DashboardOperation>;
