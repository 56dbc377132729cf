import type { FailureCode } from '@till/contract';

/** The message for each failure code (spec, "Declines"). */
const messages: Readonly<Record<FailureCode, string>> = {
  refused: 'The card issuer refused the payment.',
  do_not_honor: 'The card issuer declined the payment without giving a reason.',
  expired_card: 'The card has expired.',
  insufficient_funds: 'The card has insufficient funds.',
  invalid_cvv: 'The security code does not match the card.',
  invalid_card: 'The card number is not a valid card.',
  restricted_card: 'The card does not permit this payment.',
  declined: 'The bank declined the payment.',
  lost_card: 'The card was reported lost.',
  stolen_card: 'The card was reported stolen.',
  pickup_card: 'The card issuer asks for the card to be kept.',
  '3ds_failed': 'The cardholder failed the 3-D Secure authentication.',
  '3ds_abandoned': 'The cardholder did not complete the 3-D Secure authentication.',
  '3ds_token_expired': 'The cardholder came back, but the payment was not confirmed within the 15 minutes.',
  '3ds_not_available': 'The card issuer cannot perform the 3-D Secure authentication that is required.',
  confirmation_expired: 'The payment was not confirmed within 15 minutes.',
  not_processed: 'The payment was not carried out by the processor. Nothing was charged.',
};

/** The message for a failure code. In the sandbox `invalid_card` also advises to use a test card. */
export function failureMessage(code: FailureCode, livemode: boolean): string {
  if (code === 'invalid_card' && !livemode) {
    return `${messages.invalid_card} In the sandbox use a test card: they are listed at /docs/testing.`;
  }
  return messages[code];
}
