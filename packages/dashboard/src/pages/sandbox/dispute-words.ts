import { statusLook } from '../../lib/status.ts';

export interface Position {
  readonly state: string;
  readonly status: string;
}

export const stateChoices = [
  { value: 'chargeback', label: 'Chargeback' },
  { value: 'information_request', label: 'Request for information' },
  { value: 'pre_arbitration', label: 'Pre-arbitration' },
  { value: 'scheme_arbitration', label: 'Scheme arbitration' },
  { value: 'second_chargeback', label: 'Second chargeback' },
] as const;

export const reasonChoices = [
  { value: 'fraudulent', label: 'Fraud' },
  { value: 'authorization', label: 'Authorization' },
  { value: 'processing_error', label: 'Processing error' },
  { value: 'duplicate', label: 'Charged twice' },
  { value: 'paid_by_other_means', label: 'Paid by other means' },
  { value: 'incorrect_amount', label: 'Wrong amount' },
  { value: 'product_not_received', label: 'Not received' },
  { value: 'product_unacceptable', label: 'Not as described' },
  { value: 'subscription_canceled', label: 'Subscription was canceled' },
  { value: 'credit_not_processed', label: 'Refund missing' },
  { value: 'general', label: 'Other' },
] as const;

export const stateWord = (state: string): string =>
  stateChoices.find(({ value }) => value === state)?.label ?? state;

export const positionWords = ({ state, status }: Position): string =>
  `${stateWord(state)}: ${statusLook('dispute', status).word.toLowerCase()}`;

export const keyOf = ({ state, status }: Position): string => `${state} ${status}`;
