import type {
  Approval,
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
} from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

export class PaymentLinks {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * An address at which buyers pay. Its `url` is what you send out.
   * With a restricted key the answer may be an approval that waits for a person: name both types, see `isApproval`.
   * @throws TillError `invalid_params`
   */
  create<Answer extends PaymentLink | Approval = PaymentLink>(
    link: PaymentLinkCreate,
    options?: RequestOptions,
  ): Promise<Answer> {
    return this.#client.callOrAsk<'createPaymentLink', Answer>('createPaymentLink', { body: link }, options);
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<PaymentLink> {
    return this.#client.call('retrievePaymentLink', { path: { id } }, options);
  }

  /** Changes the fields that are named; null clears one. @throws TillError `not_found`, `invalid_params` */
  update(id: string, changes: PaymentLinkUpdate, options?: RequestOptions): Promise<PaymentLink> {
    return this.#client.call('updatePaymentLink', { path: { id }, body: changes }, options);
  }

  /** @throws TillError */
  list(query: PaymentLinkListQuery = {}, options?: RequestOptions): Listing<PaymentLink> {
    return listing(
      (page) => this.#client.call('listPaymentLinks', { query: { ...query, page } }, options),
      query.page,
    );
  }
}
