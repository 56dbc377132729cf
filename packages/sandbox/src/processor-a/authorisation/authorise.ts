import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { Brand, Challenge } from '../../directives/cards.ts';
import type { SaveBehaviour } from '../../directives/save-directives.ts';
import type { IssuedCard } from './instruments.ts';
import { hasExpired, type KeptPayment } from './payment-request.ts';
import {
  agreementRevoked,
  cardExpired,
  notEnoughBalance,
  type Refusal,
  unpublishedCard,
} from './refusals.ts';
import { type Authentication, afterChallenge, authenticate, notOffered } from './three-d-secure.ts';

/** Random parts of a response. They are generated before it is known which of them the response needs. */
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

/** The part of Adyen Checkout API v71 PaymentResponse that the simulator returns. */
export type PaymentResponse = Approval | Decline;

/** The result if the issuer wants to ask the cardholder first. */
export interface ChallengeNeeded {
  readonly resultCode: 'RedirectShopper';
  readonly challenge: Challenge;
  readonly brand: Brand;
}

/** Adyen's names of the card brands (Adyen docs, "Payment method variants"). */
export const brandNames: Readonly<Record<Brand, string>> = {
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

type Branded = Pick<IssuedCard, 'brand'>;

function cardData(payment: KeptPayment, card: Branded | undefined): Record<string, string> {
  const { bin, last4, expiryMonth, expiryYear } = payment.card;
  return {
    cardBin: bin,
    cardSummary: last4,
    expiryDate: `${expiryMonth}/${expiryYear}`,
    ...(card === undefined ? {} : { paymentMethod: brandNames[card.brand] }),
  };
}

function cvcChecks(payment: KeptPayment, cvcMatches: boolean): Record<string, string> {
  if (payment.withoutCvc === true) return { cvcResult: '6 No CVC/CVV provided' };
  return cvcMatches
    ? { cvcResult: '1 Matches', cvcResultRaw: 'M' }
    : { cvcResult: "2 Doesn't match", cvcResultRaw: 'N' };
}

function issuerChecks(payment: KeptPayment, cvcMatches: boolean): Record<string, string> {
  const ofCvc = cvcChecks(payment, cvcMatches);
  return payment.hasBillingAddress
    ? { avsResult: '7 Both postal code and address match', avsResultRaw: 'Y', ...ofCvc }
    : { avsResult: '5 No AVS data provided', ...ofCvc };
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
      ...(authentication?.additionalData ?? notOffered),
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
    // Spreads come last: V8 builds an object literal that begins with a spread many times more slowly.
    additionalData: {
      authCode: ids.authCode,
      refusalReasonRaw: 'AUTHORISED',
      networkTxReference: ids.networkTxReference,
      acquirerCode: 'TillSandboxAcquirer',
      ...cardData(payment, card),
      ...issuerChecks(payment, true),
      ...(authentication?.additionalData ?? notOffered),
    },
    ...(authentication?.threeDS2Result === undefined
      ? {}
      : { threeDS2Result: authentication.threeDS2Result }),
  };
}

/**
 * Decides a valid card payment: first by the directive, then by the test card (Adyen docs, "Test cards" and
 * "Testing result codes and refusal reasons").
 *
 * @param card undefined if the number is not a published test card
 * @param asked the refusal that a directive asks for
 */
export function authorise(
  payment: KeptPayment,
  card: IssuedCard | undefined,
  asked: Refusal | undefined,
  ids: AnswerIds,
): PaymentResponse | ChallengeNeeded {
  if (asked !== undefined) return refuse(payment, ids, asked, card);
  if (card === undefined) return refuse(payment, ids, unpublishedCard);
  if (payment.authentication === 'never') return approve(payment, ids, card, undefined);
  const demanded = payment.authentication === 'always';
  // A card without defined 3-D Secure behaviour gets a challenge only if the request demands authentication.
  const challenge =
    card.challenge ?? (demanded && card.frictionless === undefined ? ('buyer' as const) : undefined);
  if (challenge !== undefined) return { resultCode: 'RedirectShopper', challenge, brand: card.brand };
  if (card.frictionless === undefined) return approve(payment, ids, card, undefined);
  const authentication = authenticate(card.frictionless, card.brand, demanded);
  return conclude(payment, ids, card, authentication);
}

/**
 * Decides the charge of a stored card. If the merchant initiates it, there is no challenge, since no
 * cardholder is present.
 */
export function authoriseStored(
  payment: KeptPayment,
  card: IssuedCard,
  asked: { readonly refusal?: Refusal | undefined; readonly saving?: SaveBehaviour | undefined },
  ids: AnswerIds,
  now: Date,
): PaymentResponse | ChallengeNeeded {
  if (hasExpired(payment.card, now)) return refuse(payment, ids, cardExpired, card);
  if (payment.stored?.merchantInitiated !== true) return authorise(payment, card, asked.refusal, ids);
  const byAgreement = { declines_merchant: notEnoughBalance, revoked: agreementRevoked };
  const { refusal, saving } = asked;
  const refused =
    refusal ?? (saving === 'declines_merchant' || saving === 'revoked' ? byAgreement[saving] : undefined);
  return refused === undefined ? approve(payment, ids, card, undefined) : refuse(payment, ids, refused, card);
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

/** Decides a payment after its cardholder has answered the challenge. */
export function authoriseChallenged(
  payment: KeptPayment,
  { challenge, brand }: Omit<ChallengeNeeded, 'resultCode'>,
  outcome: BuyerOutcome,
  ids: AnswerIds,
): PaymentResponse {
  return conclude(payment, ids, { brand }, afterChallenge(challenge, outcome, brand));
}

/** The response to a payment that was cancelled while its challenge was open. */
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
