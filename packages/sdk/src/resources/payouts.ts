import type { Payout, PayoutLine, PayoutListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Amounts that the processors paid out to your bank account. */
export class Payouts {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Retrieves a payout with its gross, fee and net amounts.
   * @param id the `po_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Payout> {
    return this.#client.call('retrievePayout', { path: { id } }, options);
  }

  /**
   * Lists payouts whose settlement reports were imported, latest import first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: PayoutListQuery = {}, options?: RequestOptions): Listing<Payout> {
    return listing(
      (page) => this.#client.call('listPayouts', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Lists the movements of a payout, in the order of the processor's settlement report.
   * @param id the `po_` id
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
