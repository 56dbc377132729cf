import type {
  Approval,
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
} from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Addresses of hosted pages at which buyers pay without any code of yours. */
export class PaymentLinks {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a payment link. Send its `url` to your buyers.
   * With a restricted key the response may be an approval that waits for a person. In that case name both
   * types: see `isApproval`.
   * @throws TillError `invalid_params`
   */
  create<Answer extends PaymentLink | Approval = PaymentLink>(
    link: PaymentLinkCreate,
    options?: RequestOptions,
  ): Promise<Answer> {
    return this.#client.callOrAsk<'createPaymentLink', Answer>('createPaymentLink', { body: link }, options);
  }

  /**
   * Retrieves a payment link.
   * @param id the `pl_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<PaymentLink> {
    return this.#client.call('retrievePaymentLink', { path: { id } }, options);
  }

  /**
   * Updates the given fields of a payment link. Null clears a field. Amount and currency cannot change.
   * @param id the `pl_` id
   * @throws TillError `not_found`, `invalid_params`
   */
  update(id: string, changes: PaymentLinkUpdate, options?: RequestOptions): Promise<PaymentLink> {
    return this.#client.call('updatePaymentLink', { path: { id }, body: changes }, options);
  }

  /**
   * Lists payment links, newest first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: PaymentLinkListQuery = {}, options?: RequestOptions): Listing<PaymentLink> {
    return listing(
      (page) => this.#client.call('listPaymentLinks', { query: { ...query, page } }, options),
      query.page,
    );
  }
}
