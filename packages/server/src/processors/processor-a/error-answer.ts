import type { FailureCode } from '@till/contract';
import type { ChargeFacts, ChargeOutcome } from '../port.ts';
import { TransportError } from '../transport.ts';
import type { UpstreamAnswer } from './client.ts';
import { jsonObject, jsonText } from './json.ts';

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

/** Another request with the same idempotency key is still being processed. */
const duplicateInFlight = '704';

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/** Whether the upstream refused the request for an address, which no payment should fail for. */
export const blamesAddress = (answer: UpstreamAnswer): boolean =>
  answer.status === 422 && addressFaults.has(answer.errorCode ?? '');

/** Whether the same key should be asked again a little later: its first request is still being processed. */
export const isStillProcessing = (answer: UpstreamAnswer): boolean =>
  isClientError(answer.status) && answer.errorCode === duplicateInFlight && answer.transient;

/**
 * How a charge stands after an answer other than 200. A client error says that nothing was carried out, except for a
 * duplicate in flight; after anything else the charge may have been carried out.
 */
export function errorOutcome(answer: UpstreamAnswer): ChargeOutcome {
  const reason = `status ${answer.status}${safeCode(answer.errorCode)}`;
  if (isClientError(answer.status)) {
    const failure = answer.status === 422 ? cardDataFaults.get(answer.errorCode ?? '') : undefined;
    if (failure !== undefined) {
      return { kind: 'declined', code: failure, facts: factsOfError(answer.body) };
    }
    return answer.errorCode === duplicateInFlight
      ? { kind: 'unknown', answer: 'provider_unavailable', reason }
      : { kind: 'not_executed', answer: 'provider_error', reason };
  }
  const unavailable = answer.status > 500;
  return { kind: 'unknown', answer: unavailable ? 'provider_unavailable' : 'provider_error', reason };
}

/** How a charge stands where no answer came: not carried out only if the request certainly was not sent. */
export function noAnswerOutcome(error: unknown): ChargeOutcome {
  const reason = error instanceof TransportError ? error.kind : 'dropped';
  const kind = reason === 'not_sent' ? 'not_executed' : 'unknown';
  return { kind, answer: 'provider_unavailable', reason };
}

/** The error code for a reason text; anything longer than a code is no code and stays out. */
const safeCode = (errorCode: string | null): string =>
  errorCode !== null && /^[0-9A-Za-z_]{1,16}$/.test(errorCode) ? ` code ${errorCode}` : '';

const factsOfError = (body: unknown): ChargeFacts => ({
  upstreamReference: jsonText(jsonObject(body), 'pspReference'),
  brand: null,
  bin: null,
  last4: null,
  threeDSecure: null,
  avs: null,
  networkTransactionReference: null,
});
