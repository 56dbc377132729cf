import type { Approval, Refund, RefundCreate, RefundListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Full and partial refunds of payments. */
export class Refunds {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Refunds a payment. Without `amount` it refunds everything that is left. The refund is `pending` until the
   * processor settles it.
   * With a restricted key the response may be an approval that waits for a person. In that case name both
   * types: see `isApproval`.
   * @param payment the `pay_` id
   * @throws TillError `not_found`, `amount_invalid`, `payment_not_refundable`
   *
   * @example
   * ```ts
   * const refund = await till.refunds.create('pay_…', { amount: 990, reason: 'requested_by_customer' });
   * ```
   */
  create<Answer extends Refund | Approval = Refund>(
    payment: string,
    refund: RefundCreate = {},
    options?: RequestOptions,
  ): Promise<Answer> {
    const path = { payment_id: payment };
    return this.#client.callOrAsk<'createRefund', Answer>('createRefund', { path, body: refund }, options);
  }

  /**
   * Retrieves a refund.
   * @param id the `re_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Refund> {
    return this.#client.call('retrieveRefund', { path: { id } }, options);
  }

  /**
   * Lists the refunds of one payment.
   * @param payment the `pay_` id
   * @throws TillError `not_found`
   */
  list(payment: string, query: RefundListQuery = {}, options?: RequestOptions): Listing<Refund> {
    const path = { payment_id: payment };
    return listing(
      (page) => this.#client.call('listRefunds', { path, query: { ...query, page } }, options),
      query.page,
    );
  }
}
