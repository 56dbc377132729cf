/**
 * What the rest of the server knows of a payment processor. Every adapter translates between this port and one
 * upstream's wire; nothing upstream-specific crosses it. Amounts are integers in the currency's minor units.
 */
import type {
  Address,
  AvsVerdict,
  BrowserInfo,
  FailureCode,
  LineItem,
  NextAction,
  ThreeDSecure,
} from '@till/contract';

export interface Card {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
  readonly holderName: string;
}

/** What pays: a card known now, or fields or a wallet that the buyer completes in the browser (processor_b). */
export type ChargeInstrument =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'card_fields' | 'wallet' };

export interface Buyer {
  /** Our `cus_` id; never the e-mail address, so that it identifies nobody upstream. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly locale: string | null;
  readonly dateOfBirth: string | null;
}

/** Level 2 and 3 data and the basket, as the merchant sent it and after reconciliation. */
export interface OrderData {
  readonly lineItems: readonly LineItem[];
  readonly taxAmount?: number;
  readonly shippingAmount?: number;
  readonly handlingAmount?: number;
  readonly discountAmount?: number;
  readonly dutyAmount?: number;
  readonly invoiceId?: string;
  readonly description?: string;
  readonly shipsFromPostalCode?: string;
}

/** Whether the charge asks for 3-D Secure: not at all, where the issuer wants it, or in any case. */
export type AuthenticationDemand = 'never' | 'automatic' | 'always';

export interface ChargeRequest {
  readonly paymentId: string;
  /** Our own idempotency key upstream: stable for one attempt, at most 64 characters. */
  readonly upstreamKey: string;
  readonly amount: number;
  readonly currency: string;
  readonly instrument: ChargeInstrument;
  readonly captureMethod: 'automatic' | 'manual';
  readonly authentication: AuthenticationDemand;
  /** Where the upstream sends the buyer's browser back to. */
  readonly returnUrl: string;
  /** Where it sends a buyer who gives up. */
  readonly cancelUrl: string;
  /** Name of the shop as buyers know it. */
  readonly merchantName: string;
  /** The merchant's own `reference`; not unique. */
  readonly reference: string | null;
  /** The descriptor to send: sanitised and cut already (`payments/descriptor.ts`). */
  readonly statementDescriptor: string | null;
  readonly buyer: Buyer | null;
  readonly billingAddress: Address | null;
  readonly deliveryAddress: Address | null;
  readonly shopperIp: string | null;
  readonly deviceFingerprint: string | null;
  readonly browserInfo: BrowserInfo | null;
  /** Headers of the request that reached us, for `browserInfo` where the merchant's page called us directly. */
  readonly acceptHeader: string | null;
  readonly userAgent: string | null;
  readonly order: OrderData;
  /** Account time when the payment was created. */
  readonly createdAt: Date;
}

/** Ids under which the upstream keeps a payment; which of them exist depends on the processor and the state. */
export interface UpstreamIds {
  /** processor_a: pspReference of the payment. */
  readonly psp?: string;
  /** processor_b. */
  readonly order?: string;
  readonly authorization?: string;
  readonly capture?: string;
}

/** Facts about an answered request, kept beside the payment. Null: the answer did not say. */
export interface ChargeFacts {
  readonly upstream: UpstreamIds;
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly threeDSecure: ThreeDSecure | null;
  readonly avs: AvsVerdict | null;
  readonly networkTransactionReference: string | null;
}

/** When a hold stops being guaranteed and when it ends; null where the upstream does not tell. */
export interface HoldDeadlines {
  readonly guaranteedUntil: Date | null;
  readonly expires: Date | null;
}

/** 502 `provider_error` or 503 `provider_unavailable`. */
export type ProviderAnswer = 'provider_error' | 'provider_unavailable';

/**
 * No definite answer. `not_executed`: this call certainly did nothing (an earlier one may have); `unknown`: it may have
 * been carried out, and the payment stays in doubt until the upstream tells. `reason` is for logs and carries no data.
 */
export interface NoAnswer {
  readonly kind: 'not_executed' | 'unknown';
  readonly answer: ProviderAnswer;
  readonly reason: string;
}

/** The money moved or is held, or the issuer said no. */
export type SettledOutcome =
  | { readonly kind: 'succeeded'; readonly facts: ChargeFacts }
  | { readonly kind: 'authorized'; readonly facts: ChargeFacts; readonly deadlines: HoldDeadlines }
  | { readonly kind: 'declined'; readonly code: FailureCode; readonly facts: ChargeFacts };

export type ChargeOutcome =
  | SettledOutcome
  | {
      readonly kind: 'requires_action';
      readonly action: NextAction['type'];
      /** Where the buyer approves or authenticates; null where our own page collects the card. */
      readonly redirectUrl: string | null;
      readonly facts: ChargeFacts;
    }
  /** The order was accepted but there is no way for the buyer to approve it: nothing can ever be charged. */
  | { readonly kind: 'missing_approval_url'; readonly facts: ChargeFacts }
  | NoAnswer;

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
  readonly deviceFingerprint: string | null;
  /** Query parameters that the buyer's browser brought back from the upstream; null where it never came back. */
  readonly returned: Readonly<Record<string, string>> | null;
}

export type ConfirmOutcome =
  | SettledOutcome
  /** Nothing was charged; a second approval can still complete it. A fresh address where the upstream gave one. */
  | { readonly kind: 'not_approved'; readonly redirectUrl: string | null }
  | NoAnswer;

/** A card typed into our own checkout page, for an order that waits for one (processor_b `card_fields`). */
export interface SubmitCardRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
  readonly card: Card;
  readonly billingAddress: Address | null;
  readonly authentication: AuthenticationDemand;
  readonly returnUrl: string;
  readonly cancelUrl: string;
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
  /** This upstream cannot be asked (processor_a): only its notification or a cancellation tells. */
  | { readonly kind: 'cannot_tell' }
  | NoAnswer;

/** Makes sure that nothing of a payment stays authorised upstream. */
export interface CancelRequest {
  readonly paymentId: string;
  readonly upstreamKey: string;
  readonly upstream: UpstreamIds;
}

export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  /** Accepted; the upstream's notification will tell (processor_a). */
  | { readonly kind: 'accepted' }
  /** It was charged: too late to cancel. */
  | { readonly kind: 'already_captured' }
  | NoAnswer;

/** One account's way to its processor in one environment. */
export interface ProcessorConnection {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Nothing here throws for upstream failures: every way that a request can end is a value. */
export interface ProcessorPort {
  readonly name: 'processor_a' | 'processor_b';
  /** False where the upstream's wire cannot carry the amount exactly: it counts a few currencies in larger units. */
  carries(amount: number, currency: string): boolean;
  /** Starts a payment once per `upstreamKey`; the same key asks for the first attempt's answer. */
  charge(connection: ProcessorConnection, request: ChargeRequest): Promise<ChargeOutcome>;
  confirm(connection: ProcessorConnection, request: ConfirmRequest): Promise<ConfirmOutcome>;
  /** Absent where the processor has no card fields. */
  submitCard?(connection: ProcessorConnection, request: SubmitCardRequest): Promise<SubmitCardOutcome>;
  capture(connection: ProcessorConnection, request: HoldRequest): Promise<CaptureOutcome>;
  void(connection: ProcessorConnection, request: HoldRequest): Promise<VoidOutcome>;
  lookUp(connection: ProcessorConnection, request: LookUpRequest): Promise<LookUpOutcome>;
  cancel(connection: ProcessorConnection, request: CancelRequest): Promise<CancelOutcome>;
}
