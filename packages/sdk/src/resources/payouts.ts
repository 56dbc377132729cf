import type { Payout, PayoutLine, PayoutListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** What the processors paid out. */
export class Payouts {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<Payout> {
    return this.#client.call('retrievePayout', { path: { id } }, options);
  }

  /** The latest imported first. */
  list(query: PayoutListQuery = {}, options?: RequestOptions): Listing<Payout> {
    return listing(
      (page) => this.#client.call('listPayouts', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * The movements of a payout, in the order of the processor's report.
   * @throws TillError `not_found`
   */
  lines(id: string, query: PayoutListQuery = {}, options?: RequestOptions): Listing<PayoutLine> {
    const path = { id };
    return listing(
      (page) => this.#client.call('listPayoutLines', { path, query: { ...query, page } }, options),
      query.page,
    );
  }
}
