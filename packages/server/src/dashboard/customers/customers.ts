import type { CustomerDetail, CustomerListItem, CustomersQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { findCustomer, retrieveCustomer } from '../../customers/customers.ts';
import { presentCustomer } from '../../customers/present.ts';
import { findCustomers, pageOfCustomers } from '../../customers/search.ts';
import { readSearch } from '../../customers/search-words.ts';
import { presentDispute } from '../../disputes/present.ts';
import { disputesOfCustomer } from '../../disputes/reads.ts';
import { listPaymentMethods } from '../../payment-methods/payment-methods.ts';
import type { PaymentsSectionDependencies } from '../payments/dependencies.ts';
import { type CountedPage, countedPage, pageOf } from '../payments/list-payments.ts';
import { countsOf, customersNamed } from './store.ts';

/** How many saved methods of one customer are shown. */
const maxMethods = 100;

/** One page of the account's customers, newest first. With search words, only the customers that match them. */
export async function listCustomerItems(
  { payments }: PaymentsSectionDependencies,
  context: AccountContext,
  query: CustomersQuery,
): Promise<CountedPage<CustomerListItem>> {
  const place = pageOf(query);
  const page = { offset: place.offset, limit: place.perPage };
  const search = readSearch(query.q ?? '');
  const { db, customers } = payments;
  const found =
    search === null
      ? await pageOfCustomers(db, context, page)
      : await findCustomers(db, context, (where) => customersNamed(where, search), page);
  const [rows, counts] = await Promise.all([
    Promise.all(found.ids.map((id) => findCustomer(customers, context, id))),
    countsOf(db, context, found.ids),
  ]);
  const data = rows.flatMap((row) => {
    if (row === undefined) return [];
    const { payments: paid = 0, saved_methods = 0 } = counts.get(row.id) ?? {};
    return [{ customer: presentCustomer(row, context), payments: paid, saved_methods }];
  });
  return countedPage({ ...found, searchedBackTo: null }, place, data);
}

/** One customer with saved methods and disputes. @throws ApiError `not_found` */
export async function retrieveCustomerDetail(
  { payments, disputes }: PaymentsSectionDependencies,
  context: AccountContext,
  id: string,
): Promise<CustomerDetail> {
  const customer = await retrieveCustomer(payments.customers, context, id);
  const [methods, ids] = await Promise.all([
    listPaymentMethods(payments.methods, context, customer.id, { per_page: maxMethods }),
    disputesOfCustomer(payments.db, context, customer.id),
  ]);
  const disputed = await Promise.all(ids.map((dispute) => disputes.store.find(context, dispute)));
  return {
    customer: presentCustomer(customer, context),
    payment_methods: methods.data,
    disputes: disputed.filter((row) => row !== undefined).map((row) => presentDispute(row, context)),
  };
}
