import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Customer } from '../../objects/customer.ts';
import { Dispute } from '../../objects/dispute.ts';
import { DeletedPaymentMethod, PaymentMethod } from '../../objects/payment-method.ts';
import { limits, Ref, Text } from '../../primitives/common.ts';
import { CountedPageOf, listLimits } from './payments.ts';

export const CustomersQuery = Type.Object({
  /**
   * The beginning of an email address, a name, a last name or an external id; or an id; or a metadata value.
   */
  q: Type.Optional(Text(200)),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: listLimits.perPage }),
  ),
});
export type CustomersQuery = Static<typeof CustomersQuery>;

/** A count that stops at 100. */
const CountUpTo100 = Type.Integer({ minimum: 0, maximum: 100 });

export const CustomerListItem = Type.Object({
  customer: Ref(Customer),
  payments: CountUpTo100,
  saved_methods: CountUpTo100,
});
export type CustomerListItem = Static<typeof CustomerListItem>;

export const CustomerDetail = Type.Object({
  customer: Ref(Customer),
  /** Newest first, at most 100, without removed ones. */
  payment_methods: Type.Array(Ref(PaymentMethod)),
  /** Newest first, at most 100. */
  disputes: Type.Array(Ref(Dispute)),
});
export type CustomerDetail = Static<typeof CustomerDetail>;

/** Customers. Their payments are available from `listPayments` with `customer`. */
export const customersApi = {
  listCustomers: {
    id: 'listCustomers',
    method: 'GET',
    path: '/accounts/:account/customers',
    roles: rolesFor.viewing,
    query: CustomersQuery,
    answers: { 200: CountedPageOf(CustomerListItem) },
  },
  retrieveCustomer: {
    id: 'retrieveCustomer',
    method: 'GET',
    path: '/accounts/:account/customers/:id',
    roles: rolesFor.viewing,
    answers: { 200: CustomerDetail },
  },
  removePaymentMethod: {
    id: 'removePaymentMethod',
    method: 'DELETE',
    path: '/accounts/:account/customers/:customer/payment_methods/:id',
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    answers: { 200: Ref(DeletedPaymentMethod) },
    audit: 'payment_method.removed',
  },
} as const satisfies Record<string, DashboardOperation>;
