import type { Answer } from '../../api/calls.ts';

export type Payout = Answer<'listPayouts'>['data'][number];
export type PayoutDetail = Answer<'retrievePayout'>;
export type PayoutLine = PayoutDetail['lines']['data'][number];

/** The labels of the line types. */
export const lineWords: Readonly<Record<PayoutLine['line']['type'], string>> = {
  payment: 'Payment',
  refund: 'Refund',
  chargeback: 'Chargeback',
  chargeback_reversed: 'Chargeback given back',
  fee: 'Fee',
  adjustment: 'Adjustment',
};

/** Explains why a line does not match. */
export const unmatchedWords: Readonly<Record<NonNullable<PayoutLine['unmatched']>, string>> = {
  unknown: 'Nothing here has these references',
  amount_differs: 'Another amount or currency is on record',
  not_succeeded: 'The payment or refund did not succeed here',
  paid_before: 'Another line holds this payment or refund already',
  reported_before: 'Another report has this transaction already',
};
