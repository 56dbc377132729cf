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

/** What only a sandbox can do; with a live key all of it is `not_found`. */
export class TestHelpers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Moves the account's time forward: deadlines pass, holds end.
   * @throws TillError
   */
  advanceClock(seconds: number, options?: RequestOptions): Promise<TestClock> {
    return this.#client.call('advanceClock', { body: { seconds } }, options);
  }

  /**
   * Does what the buyer would do on the approval or challenge page, and comes back from it; approves where nothing is
   * said. It charges nothing: that is what `payments.confirm` does then.
   * @param payment the `pay_` id
   * @throws TillError `invalid_params` where nothing waits for the buyer
   */
  approvePayment(
    payment: string,
    outcome?: PaymentApprove['outcome'],
    options?: RequestOptions,
  ): Promise<Payment> {
    return this.#client.call('approvePayment', { path: { id: payment }, body: { outcome } }, options);
  }

  /**
   * Lets the processor accept or reject a pending refund now.
   * @param refund the `re_` id
   * @throws TillError `invalid_params` where it is not pending
   */
  settleRefund(refund: string, outcome: RefundSettle['outcome'], options?: RequestOptions): Promise<Refund> {
    return this.#client.call('settleRefund', { path: { id: refund }, body: { outcome } }, options);
  }

  /**
   * Lets the buyer dispute a payment: a chargeback of all of it where nothing is said.
   * @param payment the `pay_` id
   * @throws TillError
   */
  openDispute(payment: string, dispute: TestDispute = {}, options?: RequestOptions): Promise<Dispute> {
    return this.#client.call('openTestDispute', { path: { id: payment }, body: dispute }, options);
  }
}
