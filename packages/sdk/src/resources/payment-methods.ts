import type { DeletedPaymentMethod, PaymentMethod, PaymentMethodListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

export class PaymentMethods {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * The saved cards and wallets of a customer.
   * @param customer the `cus_` id
   * @throws TillError `not_found`
   */
  list(
    customer: string,
    query: PaymentMethodListQuery = {},
    options?: RequestOptions,
  ): Listing<PaymentMethod> {
    const path = { id: customer };
    return listing(
      (page) => this.#client.call('listPaymentMethods', { path, query: { ...query, page } }, options),
      query.page,
    );
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<PaymentMethod> {
    return this.#client.call('retrievePaymentMethod', { path: { id } }, options);
  }

  /**
   * Removes a saved card or wallet, here and at the processor.
   * @throws TillError `not_found`, also where it is removed already
   */
  remove(id: string, options?: RequestOptions): Promise<DeletedPaymentMethod> {
    return this.#client.call('deletePaymentMethod', { path: { id } }, options);
  }
}
