import type { ClientToken, ClientTokenCreate } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';

/** Short-lived tokens with which the wallet's browser SDK runs on your own page. */
export class ClientTokens {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a short-lived token for the wallet's browser SDK.
   * @throws TillError `no_provider_connection` if the account has no connected processor with a wallet
   */
  create(token: ClientTokenCreate = {}, options?: RequestOptions): Promise<ClientToken> {
    return this.#client.call('createClientToken', { body: token }, options);
  }
}
