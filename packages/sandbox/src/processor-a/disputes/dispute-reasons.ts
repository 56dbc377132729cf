type Scheme = 'visa' | 'mc' | 'amex';

interface SchemeReason {
  readonly words: string;
  readonly codes: Readonly<Record<Scheme, string>>;
}

/**
 * Reasons of disputes with the schemes' codes for them (dispute guides of Visa, Mastercard and American
 * Express).
 */
const schemeReasons: Readonly<Record<string, SchemeReason>> = {
  fraudulent: {
    words: 'Other Fraud-Card Absent Environment',
    codes: { visa: '10.4', mc: '4837', amex: 'F29' },
  },
  authorization: { words: 'No Authorization', codes: { visa: '11.3', mc: '4808', amex: 'A02' } },
  processing_error: {
    words: 'Incorrect Transaction Data',
    codes: { visa: '12.7', mc: '4846', amex: 'P23' },
  },
  duplicate: { words: 'Duplicate Processing', codes: { visa: '12.6.1', mc: '4834', amex: 'P08' } },
  paid_by_other_means: {
    words: 'Paid by Other Means',
    codes: { visa: '12.6.2', mc: '4834', amex: 'C14' },
  },
  incorrect_amount: { words: 'Incorrect Amount', codes: { visa: '12.5', mc: '4831', amex: 'P05' } },
  product_not_received: {
    words: 'Merchandise/Services Not Received',
    codes: { visa: '13.1', mc: '4855', amex: 'C08' },
  },
  product_unacceptable: {
    words: 'Not as Described or Defective Merchandise/Services',
    codes: { visa: '13.3', mc: '4853', amex: 'C31' },
  },
  subscription_canceled: {
    words: 'Cancelled Recurring Transaction',
    codes: { visa: '13.2', mc: '4841', amex: 'C28' },
  },
  credit_not_processed: {
    words: 'Credit Not Processed',
    codes: { visa: '13.6', mc: '4860', amex: 'C02' },
  },
};

const defaultReason = 'fraudulent';

export interface DisputeReason {
  readonly code: string;
  readonly words: string;
}

/**
 * Returns a reason in the terms of the card's scheme.
 *
 * @param reason one of the merchant's terms, such as `fraudulent`, or a scheme's own code; default: fraud
 */
export function reasonOf(brand: string, reason: string = defaultReason): DisputeReason {
  const known = schemeReasons[reason];
  if (known === undefined) return { code: reason, words: 'Cardholder Dispute' };
  const scheme = brand === 'mc' || brand === 'amex' ? brand : 'visa';
  return { code: known.codes[scheme], words: known.words };
}
