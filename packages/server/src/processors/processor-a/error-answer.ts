import type { FailureCode } from '@till/contract';
import { notExecuted, serverFault, unknown } from '../no-answer.ts';
import type { NoAnswer } from '../port.ts';
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

/** City, street, house number, country or state that the upstream does not take. */
const addressFaults: ReadonlySet<string> = new Set(['131', '132', '133', '134', '135', '136']);

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

/** Refusals of this very request; 401, 403 and 429 are about the caller, and the same request may succeed later. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether the upstream itself, which names a code, turned the request down for good: nothing was carried out. */
export const turnsDown = (answer: UpstreamAnswer): boolean =>
  refusals.has(answer.status) &&
  answer.errorCode !== null &&
  !answer.transient &&
  !isDuplicateInFlight(answer);

/**
 * How things stand after an answer that tells no outcome. A client error says that nothing was carried out, except for
 * a duplicate in flight; after anything else the request may have been carried out.
 */
export function faultOf(answer: UpstreamAnswer): NoAnswer {
  const reason = `status ${answer.status}${safeCode(answer.errorCode)}`;
  if (!isClientError(answer.status)) {
    return serverFault(answer.status, reason);
  }
  return isDuplicateInFlight(answer)
    ? unknown('provider_unavailable', reason)
    : notExecuted('provider_error', reason);
}

/** The error code for a reason text; anything longer than a code is no code and stays out. */
const safeCode = (errorCode: string | null): string =>
  errorCode !== null && /^[0-9A-Za-z_]{1,16}$/.test(errorCode) ? ` code ${errorCode}` : '';
