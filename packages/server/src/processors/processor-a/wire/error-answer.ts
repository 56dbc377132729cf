import type { FailureCode } from '@till/contract';
import type { NoAnswer } from '../../port/port.ts';
import { errorAnswer, unknown } from '../../upstream/no-answer.ts';
import type { UpstreamAnswer } from './client.ts';

/** Error codes of a 422 that blame the card's data; for the buyer that is a decline (Adyen docs, "Error codes"). */
const cardDataFaults: ReadonlyMap<string, FailureCode> = new Map([
  ['101', 'invalid_card'],
  ['102', 'invalid_card'], // brand cannot be determined
  ['103', 'invalid_cvv'],
  ['153', 'invalid_cvv'], // missing where the brand requires it
  ['129', 'expired_card'],
  ['140', 'expired_card'],
  ['141', 'expired_card'],
]);

/** Error codes for a billing address, city, street, house number, country or state that the upstream does not accept. */
const addressFaults: ReadonlySet<string> = new Set(['104', '131', '132', '133', '134', '135', '136']);

/** Error codes of a 422 that concern a field that the merchant sent (Adyen docs, "Error codes"). */
const fieldFaults: ReadonlyMap<string, string> = new Map([
  ['128', 'payment_method.holder_name'],
  ['137', 'amount'],
  ['138', 'currency'],
]);

/** The upstream has no card under the token, or not for this buyer. */
const missingTokenFaults: ReadonlySet<string> = new Set(['800', '803']);

/** Another request with the same idempotency key is still being processed. */
const duplicateInFlight = '704';

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/** Whether the upstream refused the request because of an address. No payment should fail for that reason. */
export const blamesAddress = (answer: UpstreamAnswer): boolean =>
  answer.status === 422 && addressFaults.has(answer.errorCode ?? '');

/** Whether another request with the same key is still in flight. */
const isDuplicateInFlight = (answer: UpstreamAnswer): boolean =>
  isClientError(answer.status) && answer.errorCode === duplicateInFlight;

/** Whether the request should be repeated with the same key a little later, because its first copy is still being processed. */
export const isStillProcessing = (answer: UpstreamAnswer): boolean =>
  isDuplicateInFlight(answer) && answer.transient;

/** The failure code for wrong card data; undefined if the response does not blame the card's data. */
export const cardDataFault = (answer: UpstreamAnswer): FailureCode | undefined =>
  answer.status === 422 ? cardDataFaults.get(answer.errorCode ?? '') : undefined;

/** Whether the upstream stores no card under the given token. */
export const tokenIsMissing = (answer: UpstreamAnswer): boolean =>
  answer.status === 422 && missingTokenFaults.has(answer.errorCode ?? '');

/**
 * Whether the upstream refused a request that it may have accepted before, when the card was still valid or the token still
 * existed.
 */
export const mayHaveChanged = (answer: UpstreamAnswer): boolean =>
  cardDataFault(answer) === 'expired_card' || tokenIsMissing(answer);

/** Statuses that reject this request itself. 401, 403 and 429 are about the caller, and the same request may succeed later. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether the upstream itself, identified by its error code, rejected the request for good: it carried nothing out. */
export const isRejected = (answer: UpstreamAnswer): boolean =>
  refusals.has(answer.status) &&
  answer.errorCode !== null &&
  !answer.transient &&
  !isDuplicateInFlight(answer);

/**
 * The field of the payment request that caused the refusal of a charge; undefined if no field did.
 * @param isTyped whether the merchant sent a card rather than a saved one
 */
export const blamedField = ({ status, errorCode }: UpstreamAnswer, isTyped: boolean): string | undefined => {
  const field = status === 422 ? fieldFaults.get(errorCode ?? '') : undefined;
  return isTyped || !field?.startsWith('payment_method.') ? field : undefined;
};

/**
 * Result of a response without an outcome. The upstream's own refusal proves that nothing was carried out, unless the request
 * is a duplicate in flight. After any other response the request may have been carried out.
 */
export function faultOf(answer: UpstreamAnswer): NoAnswer {
  const { status, errorCode } = answer;
  const code = safeCode(errorCode);
  const reason = `status ${status}${code === null ? '' : ` code ${code}`}`;
  return isDuplicateInFlight(answer)
    ? { ...unknown('provider_unavailable', reason), error: { status, code } }
    : errorAnswer({ status, code }, errorCode !== null, reason);
}

/** The error code if it is fit to be shown. Anything longer than a code is not one and becomes null. */
const safeCode = (errorCode: string | null): string | null =>
  errorCode !== null && /^[0-9A-Za-z_]{1,16}$/.test(errorCode) ? errorCode : null;
