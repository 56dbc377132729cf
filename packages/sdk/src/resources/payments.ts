import type { Approval, Failure, Payment, PaymentCreate, PaymentListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

export class Payments {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Charges, holds, or begins what the buyer has to approve. A decline is no error: see `isDeclined`.
   * @throws TillError
   */
  create(payment: PaymentCreate, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('createPayment', { body: payment }, options);
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('retrievePayment', { path: { id } }, options);
  }

  /** @throws TillError */
  list(query: PaymentListQuery = {}, options?: RequestOptions): Listing<Payment> {
    return listing(
      (page) => this.#client.call('listPayments', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Charges what the buyer approved. Nothing else charges a payment that `requires_action`.
   * @throws TillError `invalid_params` where the buyer has not approved yet
   */
  confirm(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('confirmPayment', { path: { id } }, options);
  }

  /**
   * Collects the whole held amount.
   * With a restricted key the answer may be an approval that waits for a person: name both types, see `isApproval`.
   * @throws TillError `invalid_params` where nothing is held, or no longer
   */
  capture<Answer extends Payment | Approval = Payment>(
    id: string,
    options?: RequestOptions,
  ): Promise<Answer> {
    const input = { path: { id }, body: {} };
    return this.#client.callOrAsk<'capturePayment', Answer>('capturePayment', input, options);
  }

  /**
   * Releases a hold.
   * @throws TillError `invalid_params` where nothing is held
   */
  void(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('voidPayment', { path: { id } }, options);
  }
}

/** A payment that failed, with the reason. */
export type DeclinedPayment = Payment & { readonly status: 'failed'; readonly failure: Failure };

/**
 * Whether a payment failed: the issuer declined it, or the buyer did not finish in time. `failure.code` says why. Do not
 * charge the same card again; ask the buyer for another.
 */
export function isDeclined(payment: Payment): payment is DeclinedPayment {
  return payment.status === 'failed';
}
