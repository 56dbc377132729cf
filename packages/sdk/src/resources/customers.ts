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

/** The buyers of your shop, with their saved cards and wallets. */
export class Customers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a customer. The email address is unique per account and mode.
   * @throws TillError `customer_email_taken`, `customer_external_id_taken`
   */
  create(customer: CustomerCreate, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('createCustomer', { body: customer }, options);
  }

  /**
   * Retrieves a customer.
   * @param id the `cus_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('retrieveCustomer', { path: { id } }, options);
  }

  /**
   * Updates the given fields of a customer. Null clears a field. Fields that you leave out keep their value.
   * @param id the `cus_` id
   * @throws TillError `not_found`, `customer_email_taken`, `customer_external_id_taken`
   */
  update(id: string, changes: CustomerUpdate, options?: RequestOptions): Promise<Customer> {
    return this.#client.call('updateCustomer', { path: { id }, body: changes }, options);
  }

  /**
   * Lists customers, newest first. The `email` filter finds one by its exact address.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: CustomerListQuery = {}, options?: RequestOptions): Listing<Customer> {
    return listing(
      (page) => this.#client.call('listCustomers', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Lists the saved cards and wallets of a customer.
   * @param id the `cus_` id
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
   * Removes a saved card or wallet of this customer, from Till and at the processor.
   * @param id the `cus_` id
   * @param paymentMethod the `pm_` id
   * @throws TillError `not_found` if it belongs to another customer or was already removed
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
