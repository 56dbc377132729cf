import type { EventListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing, type Page } from '../http/listing.ts';
import type { TillEvent } from '../webhooks/events.ts';

/** The log of events. Webhook deliveries are made from it. */
export class Events {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Retrieves an event, in the same form as webhooks deliver it.
   * @param id the `evt_` id
   * @throws TillError `not_found`
   */
  async retrieve(id: string, options?: RequestOptions): Promise<TillEvent> {
    return (await this.#client.call('retrieveEvent', { path: { id } }, options)) as TillEvent;
  }

  /**
   * Lists events, newest first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: EventListQuery = {}, options?: RequestOptions): Listing<TillEvent> {
    return listing(
      async (page) =>
        (await this.#client.call('listEvents', { query: { ...query, page } }, options)) as Page<TillEvent>,
      query.page,
    );
  }
}
