import type { Approval, Failure, Payment, PaymentCreate, PaymentListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/** Charges, holds and payments that wait for the buyer. */
export class Payments {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a payment. Depending on its parameters it charges or holds the amount at once, or returns a payment
   * that `requires_action` by the buyer. A decline is not an error: see `isDeclined`.
   * @throws TillError `invalid_params` for an invalid request, `customer_not_found`, `provider_error` or
   *   `provider_unavailable` if the processor failed
   *
   * @example
   * ```ts
   * const payment = await till.payments.create(
   *   {
   *     amount: 4990,
   *     currency: 'EUR',
   *     customer: 'cus_…',
   *     use_last_payment_method: true,
   *     success_url: 'https://shop.example/thanks',
   *     failure_url: 'https://shop.example/sorry',
   *   },
   *   { idempotencyKey: 'order-1001' },
   * );
   * if (isDeclined(payment)) console.log(payment.failure.code);
   * ```
   */
  create(payment: PaymentCreate, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('createPayment', { body: payment }, options);
  }

  /**
   * Retrieves a payment.
   * @param id the `pay_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('retrievePayment', { path: { id } }, options);
  }

  /**
   * Lists payments, newest first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: PaymentListQuery = {}, options?: RequestOptions): Listing<Payment> {
    return listing(
      (page) => this.#client.call('listPayments', { query: { ...query, page } }, options),
      query.page,
    );
  }

  /**
   * Charges a payment that the buyer has approved. Unless you confirm it, or the hosted page does, a payment
   * that `requires_action` is never charged.
   * @param id the `pay_` id
   * @throws TillError `not_found`, or `invalid_params` if the buyer has not approved the payment yet
   */
  confirm(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('confirmPayment', { path: { id } }, options);
  }

  /**
   * Captures the whole held amount. Partial captures are not possible.
   * With a restricted key the response may be an approval that waits for a person. In that case name both
   * types: see `isApproval`.
   * @param id the `pay_` id
   * @throws TillError `not_found`, or `invalid_params` if no amount is held, or the hold has ended
   */
  capture<Answer extends Payment | Approval = Payment>(
    id: string,
    options?: RequestOptions,
  ): Promise<Answer> {
    const input = { path: { id }, body: {} };
    return this.#client.callOrAsk<'capturePayment', Answer>('capturePayment', input, options);
  }

  /**
   * Voids a payment: releases its hold without moving money.
   * @param id the `pay_` id
   * @throws TillError `not_found`, or `invalid_params` if no amount is held
   */
  void(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#client.call('voidPayment', { path: { id } }, options);
  }
}

/** A failed payment with the reason of the failure. */
export type DeclinedPayment = Payment & { readonly status: 'failed'; readonly failure: Failure };

/**
 * Whether a payment failed, either because the issuer declined it or because the buyer did not finish in
 * time. `failure.code` holds the reason. Do not charge the same card again; ask the buyer for another one.
 */
export function isDeclined(payment: Payment): payment is DeclinedPayment {
  return payment.status === 'failed';
}
