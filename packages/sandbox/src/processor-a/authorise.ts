import { type Brand, type Challenge, findTestCard, type TestCard } from '../test-cards.ts';
import type { BuyerOutcome } from '../virtual-buyer.ts';
import type { KeptPayment, PaymentRequest } from './payment-request.ts';
import { findRefusal, type Refusal, unpublishedCard } from './refusals.ts';
import { type Authentication, afterChallenge, authenticate } from './three-d-secure.ts';

/** Random parts of an answer, drawn before it is known which of them it needs. */
export interface AnswerIds {
  readonly pspReference: string;
  readonly authCode: string;
  readonly networkTxReference: string;
}

interface Answer {
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly additionalData: Readonly<Record<string, string>>;
  readonly threeDS2Result?: Readonly<Record<string, string>>;
}

export interface Approval extends Answer {
  readonly resultCode: 'Authorised';
  readonly amount: { readonly currency: string; readonly value: number };
  readonly paymentMethod: { readonly type: 'scheme'; readonly brand: string };
}

export interface Decline extends Answer {
  readonly resultCode: Refusal['resultCode'];
  readonly refusalReason: string;
  readonly refusalReasonCode: string;
}

/** The part of Adyen Checkout API v71 PaymentResponse that the simulator fills. */
export type PaymentResponse = Approval | Decline;

/** The issuer wants to ask the cardholder first. */
export interface ChallengeNeeded {
  readonly resultCode: 'RedirectShopper';
  readonly challenge: Challenge;
  readonly brand: Brand;
}

const brandNames: Readonly<Record<Brand, string>> = {
  visa: 'visa',
  mastercard: 'mc',
  amex: 'amex',
  discover: 'discover',
  diners: 'diners',
  jcb: 'jcb',
  maestro: 'maestro',
  bancontact: 'bcmc',
  cartes_bancaires: 'cartebancaire',
  unionpay: 'cup',
};

type Branded = Pick<TestCard, 'brand'>;

const addressMatches = { avsResult: '7 Both postal code and address match', avsResultRaw: 'Y' };
const addressNotSent = { avsResult: '5 No AVS data provided' };

function cardData(payment: KeptPayment, card: Branded | undefined): Record<string, string> {
  const { bin, last4, expiryMonth, expiryYear } = payment.card;
  return {
    cardBin: bin,
    cardSummary: last4,
    expiryDate: `${expiryMonth}/${expiryYear}`,
    ...(card === undefined ? {} : { paymentMethod: brandNames[card.brand] }),
  };
}

function issuerChecks(payment: KeptPayment, cvcMatches: boolean): Record<string, string> {
  return {
    cvcResult: cvcMatches ? '1 Matches' : "2 Doesn't match",
    cvcResultRaw: cvcMatches ? 'M' : 'N',
    ...(payment.hasBillingAddress ? addressMatches : addressNotSent),
  };
}

function refuse(
  payment: KeptPayment,
  ids: AnswerIds,
  refusal: Refusal,
  card?: Branded,
  authentication?: Authentication,
): Decline {
  const issuerWasAsked = authentication?.refusal === undefined;
  return {
    resultCode: refusal.resultCode,
    pspReference: ids.pspReference,
    merchantReference: payment.reference,
    refusalReason: refusal.refusalReason,
    refusalReasonCode: refusal.refusalReasonCode,
    additionalData: {
      ...cardData(payment, card),
      ...(issuerWasAsked ? issuerChecks(payment, refusal.cvcMatches ?? true) : {}),
      ...authentication?.additionalData,
      refusalReasonRaw: refusal.refusalReasonRaw,
    },
    ...(authentication?.threeDS2Result === undefined
      ? {}
      : { threeDS2Result: authentication.threeDS2Result }),
  };
}

function approve(
  payment: KeptPayment,
  ids: AnswerIds,
  card: Branded,
  authentication: Authentication | undefined,
): Approval {
  return {
    resultCode: 'Authorised',
    pspReference: ids.pspReference,
    merchantReference: payment.reference,
    amount: { currency: payment.amount.currency, value: payment.amount.value },
    paymentMethod: { type: 'scheme', brand: brandNames[card.brand] },
    // Spreads come last: an object that begins with one is built many times more slowly.
    additionalData: {
      authCode: ids.authCode,
      refusalReasonRaw: 'AUTHORISED',
      networkTxReference: ids.networkTxReference,
      acquirerCode: 'TillSandboxAcquirer',
      ...cardData(payment, card),
      ...issuerChecks(payment, true),
      ...authentication?.additionalData,
    },
    ...(authentication?.threeDS2Result === undefined
      ? {}
      : { threeDS2Result: authentication.threeDS2Result }),
  };
}

/**
 * The answer to a valid card payment: first what a directive asks for, then what the number stands for
 * (Adyen docs, "Test cards" and "Testing result codes and refusal reasons").
 */
export function authorise(
  payment: PaymentRequest,
  directive: string | undefined,
  ids: AnswerIds,
): PaymentResponse | ChallengeNeeded {
  const card = findTestCard(payment.card.number);
  const asked = directive === undefined ? undefined : findRefusal(directive);
  if (asked !== undefined) return refuse(payment, ids, asked, card);
  if (card === undefined) return refuse(payment, ids, unpublishedCard);
  if (payment.authentication === 'never') return approve(payment, ids, card, undefined);
  if (card.challenge !== undefined) {
    return { resultCode: 'RedirectShopper', challenge: card.challenge, brand: card.brand };
  }
  if (card.frictionless === undefined) {
    return approve(payment, ids, card, undefined);
  }
  const demanded = payment.authentication === 'always';
  const authentication = authenticate(card.frictionless, card.brand, demanded);
  return conclude(payment, ids, card, authentication);
}

function conclude(
  payment: KeptPayment,
  ids: AnswerIds,
  card: Branded,
  authentication: Authentication,
): PaymentResponse {
  return authentication.refusal === undefined
    ? approve(payment, ids, card, authentication)
    : refuse(payment, ids, authentication.refusal, card, authentication);
}

/** The answer to a payment whose cardholder has been asked. */
export function authoriseChallenged(
  payment: KeptPayment,
  { challenge, brand }: Omit<ChallengeNeeded, 'resultCode'>,
  outcome: BuyerOutcome,
  ids: AnswerIds,
): PaymentResponse {
  return conclude(payment, ids, { brand }, afterChallenge(challenge, outcome, brand));
}

/** The answer to a payment that was cancelled while its cardholder was being asked. */
export function cancelledPayment(payment: KeptPayment, pspReference: string, brand: Brand): Decline {
  return {
    resultCode: 'Cancelled',
    pspReference,
    merchantReference: payment.reference,
    refusalReason: 'Cancelled',
    refusalReasonCode: '15',
    additionalData: { ...cardData(payment, { brand }), refusalReasonRaw: 'Cancelled' },
  };
}
