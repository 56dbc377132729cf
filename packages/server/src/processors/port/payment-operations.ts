/** Operations on a payment after it was started: confirm, capture, void, look-up and cancel. */
import type { Address, FailureCode } from '@till/contract';
import type { NoAnswer, UpstreamIds } from './answers.ts';
import type { AuthenticationDemand, Buyer, Card, ChargeFacts, SettledOutcome } from './charge.ts';
import type { SaveRequest } from './instruments.ts';

/** Query parameters that the upstream added to our return URL. */
export type ReturnParameters = Readonly<Record<string, string>>;

/** Charges what the buyer approved, because the buyer came back or the merchant asks for it. */
export interface ConfirmRequest {
  readonly paymentId: string;
  /** Stable for one attempt; after a definite answer the next attempt uses another key. */
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly authentication: AuthenticationDemand;
  readonly statementDescriptor: string | null;
  readonly riskSession: string | null;
  /** Query parameters that the buyer's browser brought back from the upstream, newest first; null if it never came back. */
  readonly returned: readonly ReturnParameters[] | null;
}

export type ConfirmOutcome =
  | SettledOutcome
  /**
   * Nothing was charged, and a second approval can still complete the payment. `redirectUrl` is a fresh URL if the upstream
   * gave one.
   */
  | {
      readonly kind: 'not_approved';
      readonly redirectUrl: string | null;
      /** The upstream refused this request, which says nothing about an earlier one under the same key. */
      readonly refused?: true;
    }
  | NoAnswer;

/** Submits a card that the buyer typed into our own checkout page, for an order that waits for one. */
export interface SubmitCardRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
  readonly card: Card;
  readonly billingAddress: Address | null;
  readonly authentication: AuthenticationDemand;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  readonly buyer: Buyer | null;
  readonly save: SaveRequest | null;
}

export type SubmitCardOutcome =
  | { readonly kind: 'approved' }
  /** The issuer requires the buyer to authenticate first. */
  | { readonly kind: 'redirect'; readonly redirectUrl: string }
  /** The card was refused before anything was charged: the buyer may try another one. */
  | { readonly kind: 'card_refused'; readonly code: FailureCode }
  | NoAnswer;

/** Captures or voids a hold. */
export interface HoldRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly statementDescriptor: string | null;
  readonly riskSession: string | null;
}

export type CaptureOutcome =
  | { readonly kind: 'succeeded'; readonly facts: ChargeFacts }
  | { readonly kind: 'declined'; readonly code: FailureCode; readonly facts: ChargeFacts }
  /** The hold has expired or was voided at the upstream: nothing was captured and nothing changes. */
  | { readonly kind: 'hold_gone' }
  | NoAnswer;

export type VoidOutcome =
  | { readonly kind: 'voided' }
  /** The hold was captured already: nothing was released. */
  | { readonly kind: 'already_captured' }
  | NoAnswer;

/** Asks for the outcome of a payment that got no definite answer. */
export interface LookUpRequest {
  readonly paymentId: string;
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
}

export type LookUpOutcome =
  | SettledOutcome
  /** The payment exists at the upstream and waits for the buyer or for confirm. */
  | { readonly kind: 'open' }
  | { readonly kind: 'voided' }
  /** The upstream has no object that could still be charged. */
  | { readonly kind: 'nothing' }
  /**
   * The upstream cannot be asked: it has no look-up (`ProcessorCapabilities.canLookUp`), or it knows none of the ids. This proves
   * nothing, least of all that nothing was charged.
   */
  | { readonly kind: 'cannot_tell' }
  | NoAnswer;

/** Makes sure that nothing of a payment remains authorized at the upstream; an amount already charged may be given back. */
export interface CancelRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
}

export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  /** The upstream accepted the request, which proves nothing: only its notification says what it did. */
  | { readonly kind: 'accepted' }
  /** The payment was charged: it is too late to cancel. */
  | { readonly kind: 'already_captured' }
  | NoAnswer;
