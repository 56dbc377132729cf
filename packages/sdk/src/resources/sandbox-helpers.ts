import type {
  Dispute,
  Payment,
  PaymentApprove,
  Refund,
  RefundSettle,
  TestClock,
  TestDispute,
} from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';

/** Operations that only a sandbox has. With a live key every call throws `not_found`. */
export class TestHelpers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Moves the account's clock forward, so that deadlines pass and holds end.
   * @param seconds how far to move it, at most ten years
   * @throws TillError `invalid_params`
   */
  advanceClock(seconds: number, options?: RequestOptions): Promise<TestClock> {
    return this.#client.call('advanceClock', { body: { seconds } }, options);
  }

  /**
   * Plays the buyer on the approval or challenge page: submits the outcome (default: approve) and returns to
   * your shop. This does not charge the payment; call `payments.confirm` afterwards.
   * @param payment the `pay_` id
   * @throws TillError `not_found`, or `invalid_params` if the payment does not wait for the buyer
   */
  approvePayment(
    payment: string,
    outcome?: PaymentApprove['outcome'],
    options?: RequestOptions,
  ): Promise<Payment> {
    return this.#client.call('approvePayment', { path: { id: payment }, body: { outcome } }, options);
  }

  /**
   * Makes the processor accept or reject a pending refund now.
   * @param refund the `re_` id
   * @throws TillError `not_found`, or `invalid_params` if the refund is not pending
   */
  settleRefund(refund: string, outcome: RefundSettle['outcome'], options?: RequestOptions): Promise<Refund> {
    return this.#client.call('settleRefund', { path: { id: refund }, body: { outcome } }, options);
  }

  /**
   * Makes the buyer dispute a payment. By default this is a chargeback of the full amount.
   * @param payment the `pay_` id
   * @throws TillError `not_found`, or `invalid_params` if the payment cannot be disputed
   */
  openDispute(payment: string, dispute: TestDispute = {}, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('openTestDispute', { path: { id: payment }, body: dispute }, options);
  }
}
