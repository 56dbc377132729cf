// Made from the contract by `npm run generate`; do not change it by hand.

export interface RefundSettle {
  /** What the processor says of the refund. */
  outcome: 'succeeded' | 'failed';
}

export interface TestClock {
  /** Always `test_clock`. */
  object: 'test_clock';
  /** The time of the account, ISO 8601 in UTC. */
  now: string;
}

export interface ClockAdvance {
  /** How far the clock of the account moves forward. */
  seconds: number;
}

export interface PaymentApprove {
  /** What the buyer does; `approved` where it is left out. */
  outcome?: 'approved' | 'declined' | 'failed' | 'abandoned' | undefined;
}

export interface TestDispute {
  /**
   * `information_request`: the issuer asks for documents, no money has moved. `chargeback`: the
   * money was taken back. `pre_arbitration`: the issuer rejected the defence.
   * `scheme_arbitration`: the card scheme decides. `second_chargeback`: raised again after it was
   * reversed.
   */
  state?:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback'
    | undefined;
  /** In minor units, at most that of the payment. Left out: all of it. */
  amount?: number | undefined;
  /** Why the buyer disputes it: the card network's reason in words that do not change. */
  reason?:
    | 'fraudulent'
    | 'authorization'
    | 'processing_error'
    | 'duplicate'
    | 'paid_by_other_means'
    | 'incorrect_amount'
    | 'product_not_received'
    | 'product_unacceptable'
    | 'subscription_canceled'
    | 'credit_not_processed'
    | 'general'
    | undefined;
}
