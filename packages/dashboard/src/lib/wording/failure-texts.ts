/** Explains to the people who run a shop why a payment failed. */
export interface FailureText {
  /** A few words, for a list or a chart. */
  readonly title: string;
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** What can be done now, in one or two sentences. */
  readonly advice: string;
}

const text = (title: string, meaning: string, advice: string): FailureText => ({ title, meaning, advice });

const otherWay =
  'Ask the buyer for another card or another way to pay. The same card will most likely be refused again.';
const askBank =
  'The buyer can ask their bank for the reason. Meanwhile offer another card or another way to pay.';
/** Only the issuer may inform the buyer that a card is on a list. */
const silent =
  'Do not tell the buyer this reason, and do not try the card again. Ask for another way to pay, and look at the order for signs of fraud before you send anything.';

const texts: Readonly<Record<string, FailureText>> = {
  refused: text('Refused', 'The issuer refused the payment and gave no reason.', askBank),
  do_not_honor: text('Do not honour', 'The issuer declined the payment and does not say why.', askBank),
  expired_card: text(
    'Card expired',
    'The last month of the card is over.',
    'Ask the buyer for the new card. Of a saved card ask them to enter the new expiry date.',
  ),
  insufficient_funds: text(
    'Insufficient funds',
    'The account or the limit of the card does not cover the amount.',
    'The buyer can pay with another card, or try again later. Wait a few days before you repeat a subscription payment.',
  ),
  invalid_cvv: text(
    'Wrong security code',
    'The security code does not match the card.',
    'Ask the buyer to type the card again, with the digits on its back (American Express: front).',
  ),
  invalid_card: text(
    'Not a valid card',
    'The number is not one of a card that can be charged.',
    'Ask the buyer to check the number or to use another card. In the sandbox only the published test cards work.',
  ),
  restricted_card: text(
    'Card restricted',
    'The card must not be used for this kind of payment, for example abroad or online.',
    otherWay,
  ),
  declined: text('Declined', 'The bank declined the payment in general terms.', askBank),
  lost_card: text('Lost card', 'The card was reported lost.', silent),
  stolen_card: text('Stolen card', 'The card was reported stolen.', silent),
  pickup_card: text('Card to be kept', 'The issuer wants the card to be kept. It is on a risk list.', silent),
  '3ds_failed': text(
    '3-D Secure failed',
    'The buyer did not pass the check of their bank.',
    'The buyer can try again and confirm in their banking app, or use another card.',
  ),
  '3ds_abandoned': text(
    '3-D Secure not finished',
    'The buyer left the check of their bank, or never began it.',
    'Invite the buyer to order again. If this happens often, look at how your page explains the step.',
  ),
  '3ds_token_expired': text(
    'Confirmed too late',
    'The buyer came back from their bank after the 15 minutes, or nobody confirmed the payment in them.',
    'The buyer has to pay again. Nothing was charged for this attempt.',
  ),
  '3ds_not_available': text(
    '3-D Secure not available',
    'Your connection requires 3-D Secure, and the issuer cannot do it for this card.',
    'Ask for another card, or relax the 3-D Secure setting of the connection if your risk allows it.',
  ),
  confirmation_expired: text(
    'Never confirmed',
    'The buyer did not finish the payment within 15 minutes.',
    'Invite the buyer to order again. The old link no longer works.',
  ),
  not_processed: text(
    'Not carried out',
    'The connection to the processor broke off, and the processor did not carry the payment out. Nothing was charged.',
    'Ask the buyer to pay again. No bank declined the payment, so the same card or wallet will do.',
  ),
};

const unknown = (code: string): FailureText =>
  text(
    code.replaceAll('_', ' '),
    'The payment failed for a reason that this page does not know yet.',
    askBank,
  );

/** The text for a `failure.code`; a general text for an unknown code. */
export const failureText = (code: string): FailureText => texts[code] ?? unknown(code);

/** Every known code with its title, for filters and charts. */
export const failureCodes: readonly (readonly [code: string, title: string])[] = Object.entries(texts).map(
  ([code, { title }]) => [code, title],
);

/** Failure codes of payments that nobody declined: the buyer did not finish. */
const notFinished: readonly string[] = ['confirmation_expired', '3ds_abandoned', '3ds_token_expired'];

/** Whether a payment failed because the buyer did not finish it, and not because it was declined. */
export const wasNotFinished = (code: string): boolean => notFinished.includes(code);

/** A title for use inside a sentence: with a lower-case first letter, unless it begins with a name or a number. */
export const inSentence = (title: string): string =>
  /^\p{Lu}\p{Ll}/u.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;

/** Says that a capture was declined, and why if the bank gave a reason. */
export const captureDeclined = (code: string): string =>
  code === 'declined'
    ? 'The capture was declined'
    : `The capture was declined (${inSentence(failureText(code).title)})`;
