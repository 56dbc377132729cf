import type { Dispute, DisputeDefend, DisputeListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Only where the operator of your server has turned these endpoints on; elsewhere all of it is `not_found`. */
export class Disputes {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('retrieveDispute', { path: { id } }, options);
  }

  /** @throws TillError */
  list(query: DisputeListQuery = {}, options?: RequestOptions): Listing<Dispute> {
    return listing(
      (page) => this.#client.call('listDisputes', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Accepts the loss, for good.
   * @throws TillError `invalid_params` where nothing is to be decided
   */
  accept(id: string, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('acceptDispute', { path: { id } }, options);
  }

  /**
   * Submits evidence, once.
   * @throws TillError `invalid_params` where nothing is to be decided, or the evidence is not accepted
   */
  defend(id: string, defence: DisputeDefend, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('defendDispute', { path: { id }, body: defence }, options);
  }
}
