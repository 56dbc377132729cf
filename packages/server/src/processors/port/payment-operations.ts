/** What is asked about a payment after it was started. */
import type { Address, FailureCode } from '@till/contract';
import type { NoAnswer, UpstreamIds } from './answers.ts';
import type { AuthenticationDemand, Buyer, Card, ChargeFacts, SettledOutcome } from './charge.ts';
import type { SaveRequest } from './instruments.ts';

/** Query parameters that the upstream added to our return address. */
export type Brought = Readonly<Record<string, string>>;

/** The buyer came back, or the merchant asks to go ahead: charge what was approved. */
export interface ConfirmRequest {
  readonly paymentId: string;
  /** Stable for one attempt; the next attempt after a definite answer has another one. */
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly authentication: AuthenticationDemand;
  readonly statementDescriptor: string | null;
  readonly riskSession: string | null;
  /** What the buyer's browser brought back from the upstream, the newest first; null where it never came back. */
  readonly returned: readonly Brought[] | null;
}

export type ConfirmOutcome =
  | SettledOutcome
  /** Nothing was charged; a second approval can still complete it. A fresh address where the upstream gave one. */
  | {
      readonly kind: 'not_approved';
      readonly redirectUrl: string | null;
      /** The upstream refused the request: that says nothing of an earlier one under the same key. */
      readonly refused?: true;
    }
  | NoAnswer;

/** A card typed into our own checkout page, for an order that waits for one. */
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
  /** The issuer wants the buyer to authenticate first. */
  | { readonly kind: 'redirect'; readonly redirectUrl: string }
  /** Refused before anything was charged: the buyer may try another card. */
  | { readonly kind: 'card_refused'; readonly code: FailureCode }
  | NoAnswer;

/** Collects or releases a hold. */
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
  /** The hold is over or was released upstream: nothing was collected and nothing changes. */
  | { readonly kind: 'hold_gone' }
  | NoAnswer;

export type VoidOutcome =
  | { readonly kind: 'voided' }
  /** It was collected already: nothing was released. */
  | { readonly kind: 'already_captured' }
  | NoAnswer;

/** Asks what became of a payment whose answer never came. */
export interface LookUpRequest {
  readonly paymentId: string;
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
}

export type LookUpOutcome =
  | SettledOutcome
  /** It exists upstream and waits for the buyer or for confirm. */
  | { readonly kind: 'open' }
  | { readonly kind: 'voided' }
  /** The upstream has nothing that could be charged. */
  | { readonly kind: 'nothing' }
  /** This upstream cannot be asked (`ProcessorCapabilities.canLookUp`): a notification or a cancellation settles it. */
  | { readonly kind: 'cannot_tell' }
  | NoAnswer;

/** Makes sure that nothing of a payment stays authorised upstream; what was charged may be given back. */
export interface CancelRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
}

export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  /** That the request was accepted proves nothing: only the upstream's notification says what it did. */
  | { readonly kind: 'accepted' }
  /** It was charged: too late to cancel. */
  | { readonly kind: 'already_captured' }
  | NoAnswer;
