import type { SettledOutcome } from '../../port/port.ts';
import { type JsonObject, jsonText } from '../../wire/json.ts';
import { paymentFacts, savedInstrument } from '../charges/payment-facts.ts';
import {
  asksForAuthentication,
  type Refusal,
  refusalFailure,
  revokesInstrument,
} from '../charges/refusal.ts';
import { refusalCodeOf } from '../charges/refusal-names.ts';
import { authenticationResult } from '../charges/three-d-secure.ts';
import type { NotificationItem } from './notification-item.ts';

const offSessionModels: ReadonlySet<string> = new Set(['Subscription', 'UnscheduledCardOnFile']);

/**
 * Outcome of a payment in an AUTHORISATION notification (Adyen Standard webhooks v1). Undefined if the issuer only requires
 * authentication: the charge is then repeated with a challenge under the same reference, so the first refusal settles
 * nothing.
 */
export function authorisationOutcome(item: NotificationItem): SettledOutcome | undefined {
  const answer = answerOf(item);
  const facts = paymentFacts(answer);
  if (item.success) return { kind: 'succeeded', facts: { ...facts, saved: savedInstrument(answer) } };
  const refusal: Refusal = {
    resultCode: 'Refused',
    reasonCode: refusalCodeOf(item.reason),
    rawReason: jsonText(item.additionalData, 'refusalReasonRaw'),
    brand: facts.brand,
    authentication: authenticationResult(answer),
    afterChallenge: false,
  };
  const offSession = offSessionModels.has(jsonText(item.additionalData, 'recurringProcessingModel') ?? '');
  if (asksForAuthentication(refusal) && !offSession) return undefined;
  const outcome = { kind: 'declined', code: refusalFailure(refusal), facts } as const;
  return revokesInstrument(refusal, offSession) ? { ...outcome, instrumentGone: true } : outcome;
}

/**
 * Converts the item to the form of a `/payments` response: the brand is at the item's top level, and card and expiry may be
 * only in `reason`.
 */
function answerOf({
  pspReference,
  paymentMethod,
  reason,
  success,
  additionalData,
}: NotificationItem): JsonObject {
  const [, cardSummary, expiryDate] =
    (success && /^[^:]*:(\d{4}):(\d{1,2}\/\d{4})$/.exec(reason ?? '')) || [];
  return {
    pspReference,
    additionalData: { paymentMethod, cardSummary, expiryDate, ...additionalData },
  };
}
