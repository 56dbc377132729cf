import type {
  Customer,
  CustomerCreate,
  CustomerListQuery,
  CustomerUpdate,
  DeletedPaymentMethod,
  PaymentMethod,
  PaymentMethodListQuery,
} from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

export class Customers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TillError `customer_email_taken`, `customer_external_id_taken` */
  create(customer: CustomerCreate, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('createCustomer', { body: customer }, options);
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('retrieveCustomer', { path: { id } }, options);
  }

  /**
   * Changes the fields that are named; null clears one.
   * @throws TillError `customer_email_taken`, `customer_external_id_taken`
   */
  update(id: string, changes: CustomerUpdate, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('updateCustomer', { path: { id }, body: changes }, options);
  }

  /** @throws TillError */
  list(query: CustomerListQuery = {}, options?: RequestOptions): Listing<Customer> {
    return listing(
      (page) => this.#client.call('listCustomers', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * The saved cards and wallets of a customer.
   * @throws TillError `not_found`
   */
  listPaymentMethods(
    id: string,
    query: PaymentMethodListQuery = {},
    options?: RequestOptions,
  ): Listing<PaymentMethod> {
    return listing(
      (page) => this.#client.call('listPaymentMethods', { path: { id }, query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Removes a saved card or wallet, here and at the processor, if it is this customer's.
   * @param paymentMethod the `pm_` id
   * @throws TillError `not_found`, also where it is removed already
   */
  removePaymentMethod(
    id: string,
    paymentMethod: string,
    options?: RequestOptions,
  ): Promise<DeletedPaymentMethod> {
    const path = { customer_id: id, id: paymentMethod };
    return this.#client.call('deleteCustomerPaymentMethod', { path }, options);
  }
}
