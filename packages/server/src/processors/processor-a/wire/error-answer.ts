import type { FailureCode } from '@till/contract';
import type { NoAnswer } from '../../port/port.ts';
import { errorAnswer, unknown } from '../../upstream/no-answer.ts';
import type { UpstreamAnswer } from './client.ts';

/** Error codes of a 422 that blame the card's data: to the buyer that is a decline (Adyen docs, "Error codes"). */
const cardDataFaults: ReadonlyMap<string, FailureCode> = new Map([
  ['101', 'invalid_card'],
  ['102', 'invalid_card'], // brand cannot be determined
  ['103', 'invalid_cvv'],
  ['153', 'invalid_cvv'], // missing where the brand requires it
  ['129', 'expired_card'],
  ['140', 'expired_card'],
  ['141', 'expired_card'],
]);

/** A billing address, or a city, street, house number, country or state, that the upstream does not take. */
const addressFaults: ReadonlySet<string> = new Set(['104', '131', '132', '133', '134', '135', '136']);

/** Error codes of a 422 that mean a field which the merchant sent (Adyen docs, "Error codes"). */
const fieldFaults: ReadonlyMap<string, string> = new Map([
  ['128', 'payment_method.holder_name'],
  ['137', 'amount'],
  ['138', 'currency'],
]);

/** The upstream has nothing under the token, or not for this buyer. */
const missingTokenFaults: ReadonlySet<string> = new Set(['800', '803']);

/** Another request with the same idempotency key is still being processed. */
const duplicateInFlight = '704';

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/** Whether the upstream refused the request for an address, which no payment should fail for. */
export const blamesAddress = (answer: UpstreamAnswer): boolean =>
  answer.status === 422 && addressFaults.has(answer.errorCode ?? '');

/** Whether another request with the same key had not been answered yet. */
const isDuplicateInFlight = (answer: UpstreamAnswer): boolean =>
  isClientError(answer.status) && answer.errorCode === duplicateInFlight;

/** Whether the same key should be asked again a little later: its first request is still being processed. */
export const isStillProcessing = (answer: UpstreamAnswer): boolean =>
  isDuplicateInFlight(answer) && answer.transient;

/** What the buyer did wrong, or undefined where the answer does not blame the card's data. */
export const cardDataFault = (answer: UpstreamAnswer): FailureCode | undefined =>
  answer.status === 422 ? cardDataFaults.get(answer.errorCode ?? '') : undefined;

/** Whether the upstream keeps no card under the token that was named. */
export const tokenIsMissing = (answer: UpstreamAnswer): boolean =>
  answer.status === 422 && missingTokenFaults.has(answer.errorCode ?? '');

/** Whether the upstream refused what it may have taken before: the card was valid then, and the token there. */
export const mayBecomeTrue = (answer: UpstreamAnswer): boolean =>
  cardDataFault(answer) === 'expired_card' || tokenIsMissing(answer);

/** Refusals of this very request; 401, 403 and 429 are about the caller, and the same request may succeed later. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether the upstream itself, which names a code, rejected the request for good: nothing was carried out. */
export const isRejected = (answer: UpstreamAnswer): boolean =>
  refusals.has(answer.status) &&
  answer.errorCode !== null &&
  !answer.transient &&
  !isDuplicateInFlight(answer);

/**
 * The field of the payment request that a refusal of a charge means; undefined where it means none.
 * @param isTyped whether the merchant sent a card, and not a saved one
 */
export const blamedField = ({ status, errorCode }: UpstreamAnswer, isTyped: boolean): string | undefined => {
  const field = status === 422 ? fieldFaults.get(errorCode ?? '') : undefined;
  return isTyped || !field?.startsWith('payment_method.') ? field : undefined;
};

/**
 * The result of an answer without an outcome. The upstream's own refusal says that nothing was carried out,
 * except for a duplicate in flight; after anything else the request may have been carried out.
 */
export function faultOf(answer: UpstreamAnswer): NoAnswer {
  const { status, errorCode } = answer;
  const code = safeCode(errorCode);
  const reason = `status ${status}${code === null ? '' : ` code ${code}`}`;
  return isDuplicateInFlight(answer)
    ? { ...unknown('provider_unavailable', reason), error: { status, code } }
    : errorAnswer({ status, code }, errorCode !== null, reason);
}

/** The error code as it may be shown; anything longer than a code is no code and stays out. */
const safeCode = (errorCode: string | null): string | null =>
  errorCode !== null && /^[0-9A-Za-z_]{1,16}$/.test(errorCode) ? errorCode : null;
