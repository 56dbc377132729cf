import type { DeletedPaymentMethod, PaymentMethod, PaymentMethodListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Saved cards and wallets, which can be charged again without the buyer entering them. */
export class PaymentMethods {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Lists the saved cards and wallets of a customer.
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

  /**
   * Retrieves a saved card or wallet. The response never contains the card number.
   * @param id the `pm_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<PaymentMethod> {
    return this.#client.call('retrievePaymentMethod', { path: { id } }, options);
  }

  /**
   * Removes a saved card or wallet, from Till and at the processor.
   * @param id the `pm_` id
   * @throws TillError `not_found`, also if it was already removed
   */
  remove(id: string, options?: RequestOptions): Promise<DeletedPaymentMethod> {
    return this.#client.call('deletePaymentMethod', { path: { id } }, options);
  }
}
