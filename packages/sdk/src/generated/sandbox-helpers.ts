// Made from the contract by `npm run generate`; do not change it by hand.

export interface RefundSettle {
  outcome: 'succeeded' | 'failed';
}

export interface TestClock {
  object: 'test_clock';
  now: string;
}

export interface ClockAdvance {
  seconds: number;
}

export interface PaymentApprove {
  outcome?: 'approved' | 'declined' | 'failed' | 'abandoned' | undefined;
}

export interface TestDispute {
  state?:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback'
    | undefined;
  amount?: number | undefined;
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
