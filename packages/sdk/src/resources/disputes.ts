import type { Dispute, DisputeDefend, DisputeListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/**
 * Disputes that buyers opened about payments. The operator of your server has to enable these endpoints;
 * otherwise every call throws `not_found`.
 */
export class Disputes {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Retrieves a dispute.
   * @param id the `dsp_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('retrieveDispute', { path: { id } }, options);
  }

  /**
   * Lists disputes, newest first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: DisputeListQuery = {}, options?: RequestOptions): Listing<Dispute> {
    return listing(
      (page) => this.#client.call('listDisputes', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Accepts a dispute: the money goes to the buyer. This cannot be undone.
   * @param id the `dsp_` id
   * @throws TillError `not_found`, or `invalid_params` if the dispute does not wait for your decision
   */
  accept(id: string, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('acceptDispute', { path: { id } }, options);
  }

  /**
   * Submits evidence against a dispute. This is possible once.
   * @param id the `dsp_` id
   * @throws TillError `not_found`, or `invalid_params` if the dispute does not wait for your decision or the
   *   evidence is not accepted
   */
  defend(id: string, defence: DisputeDefend, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('defendDispute', { path: { id }, body: defence }, options);
  }
}
