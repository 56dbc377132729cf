import type { NotificationEffect } from '../../port/notifications.ts';
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

type PaymentSettled = Extract<NotificationEffect, { kind: 'payment_settled' }>;

const offSessionModels: ReadonlySet<string> = new Set(['Subscription', 'UnscheduledCardOnFile']);

/** The part of a payment's settlement that an AUTHORISATION notification reports (Adyen Standard webhooks v1). */
export function authorisationOutcome(
  item: NotificationItem,
): Pick<PaymentSettled, 'outcome' | 'asksForAuthentication'> {
  const answer = answerOf(item);
  const facts = paymentFacts(answer);
  if (item.success) {
    return { outcome: { kind: 'succeeded', facts: { ...facts, saved: savedInstrument(answer) } } };
  }
  const refusal: Refusal = {
    resultCode: 'Refused',
    reasonCode: refusalCodeOf(item.reason),
    rawReason: jsonText(item.additionalData, 'refusalReasonRaw'),
    brand: facts.brand,
    authentication: authenticationResult(answer),
    afterChallenge: false,
  };
  const outcome = { kind: 'declined', code: refusalFailure(refusal), facts } as const;
  return {
    outcome: revokesInstrument(refusal, isOffSession(item)) ? { ...outcome, instrumentGone: true } : outcome,
    ...(asksForAuthentication(refusal) ? { asksForAuthentication: true } : {}),
  };
}

/**
 * Whether the charge was made without the buyer. Both members are optional settings of the account. The payment that saves a
 * card for later names the same model, but its buyer is present (`Ecommerce`).
 */
function isOffSession({ additionalData }: NotificationItem): boolean {
  const model = jsonText(additionalData, 'recurringProcessingModel') ?? '';
  const interaction = jsonText(additionalData, 'shopperInteraction') ?? 'ContAuth';
  return offSessionModels.has(model) && interaction === 'ContAuth';
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
