import type { ClientToken, ClientTokenCreate } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';

export class ClientTokens {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Makes a short-lived token for the wallet's browser SDK.
   * @throws TillError `no_provider_connection` where the account has no connected processor with a wallet
   */
  create(token: ClientTokenCreate = {}, options?: RequestOptions): Promise<ClientToken> {
    return this.#client.call('createClientToken', { body: token }, options);
  }
}
