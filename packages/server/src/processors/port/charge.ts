import type {
  Address,
  AvsVerdict,
  BrowserInfo,
  FailureCode,
  LineItem,
  NextAction,
  ThreeDSecure,
} from '@till/contract';
import type { NoAnswer, UpstreamIds } from './answers.ts';
import type { SavedInstrument, SaveRequest, StoredInstrument } from './instruments.ts';

export interface Card {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
  readonly holderName: string;
}

/**
 * The payment method: a card sent with the request, a saved one, or card fields or a wallet that the buyer completes in the
 * browser.
 */
export type ChargeInstrument =
  | { readonly kind: 'card'; readonly card: Card }
  | StoredInstrument
  | { readonly kind: 'card_fields' | 'wallet' }
  | WithheldInstrument;

/**
 * Stands for a typed card or saved method that is no longer available. A charge with it only asks what an earlier request
 * under the same key did; if there was none, nothing is charged.
 */
export interface WithheldInstrument {
  readonly kind: 'withheld';
  readonly method: 'card' | 'wallet';
  readonly initiator: 'customer' | 'merchant';
}

export interface Buyer {
  /** Our `cus_` id. The e-mail address is never used here, so that the id identifies nobody at the upstream. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly locale: string | null;
  readonly dateOfBirth: string | null;
}

/** Level 2 and Level 3 data and the line items, as the merchant sent them and after their totals were reconciled. */
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

/** Whether the charge requests 3-D Secure: never, only if the issuer requires it, or always. */
export type AuthenticationDemand = 'never' | 'automatic' | 'always';

export interface ChargeRequest {
  readonly paymentId: string;
  /** Our idempotency key at the upstream: stable for one attempt, at most 64 characters. */
  readonly upstreamKey: string;
  /**
   * Commits the key of a modified copy of the request before the copy is sent, so that recovery can ask for it after a crash,
   * and the ids that are known by then, if any. Resolves to false if another process has taken over the attempt: then nothing
   * may be sent. Absent: the key is not stored.
   */
  readonly commitKey?: (upstreamKey: string, known?: UpstreamIds) => Promise<boolean>;
  /** An earlier request under this key got no definite answer, so a refusal of this request alone proves nothing. */
  readonly isRepeat?: true;
  readonly amount: number;
  readonly currency: string;
  readonly instrument: ChargeInstrument;
  readonly captureMethod: 'automatic' | 'manual';
  readonly authentication: AuthenticationDemand;
  /** URL to which the upstream redirects the buyer's browser. */
  readonly returnUrl: string;
  /** URL to which it redirects a buyer who cancels. */
  readonly cancelUrl: string;
  /** The shop's name as buyers know it. */
  readonly merchantName: string;
  /** The merchant's own `reference`; not unique. */
  readonly reference: string | null;
  /** The statement descriptor to send, already sanitized and truncated (`payments/request/descriptor.ts`). */
  readonly statementDescriptor: string | null;
  readonly buyer: Buyer | null;
  readonly billingAddress: Address | null;
  readonly deliveryAddress: Address | null;
  readonly shopperIp: string | null;
  readonly deviceFingerprint: string | null;
  readonly browserInfo: BrowserInfo | null;
  /** Headers of the merchant's API request. They complete `browserInfo` if the merchant's page called us directly. */
  readonly acceptHeader: string | null;
  readonly userAgent: string | null;
  readonly order: OrderData;
  /** Null: the instrument is not saved. */
  readonly save: SaveRequest | null;
  /** Identifies this payment's risk session, at most 36 characters; the same on every call about the payment. */
  readonly riskSession: string | null;
  /** Risk data about the buyer that must reach the upstream before the charge (spec, `stc`). */
  readonly transactionContext: Readonly<Record<string, string>> | null;
  /** Account time at which the payment was created. */
  readonly createdAt: Date;
}

/** Facts from the upstream's response, stored with the payment. Null: the response did not contain the fact. */
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
  /** The saved instrument; also null if its token arrives later or never. */
  readonly saved: SavedInstrument | null;
}

/** When a hold stops being guaranteed and when it expires; null if the upstream does not say. */
export interface HoldDeadlines {
  readonly guaranteedUntil: Date | null;
  readonly expires: Date | null;
}

/** The money moved or is held, or the issuer declined. */
export type SettledOutcome =
  | { readonly kind: 'succeeded'; readonly facts: ChargeFacts }
  | { readonly kind: 'authorized'; readonly facts: ChargeFacts; readonly deadlines: HoldDeadlines }
  | {
      readonly kind: 'declined';
      readonly code: FailureCode;
      readonly facts: ChargeFacts;
      /** The saved instrument must not be charged again: it is revoked, closed or unknown at the upstream. */
      readonly instrumentGone?: true;
    };

export type ChargeOutcome =
  | SettledOutcome
  | {
      readonly kind: 'requires_action';
      readonly action: NextAction['type'];
      /** URL where the buyer approves or authenticates; null if our own page collects the card. */
      readonly redirectUrl: string | null;
      readonly facts: ChargeFacts;
    }
  /** The upstream accepted the order but returned no link for the buyer to approve it: it can never be charged. */
  | { readonly kind: 'missing_approval_url'; readonly facts: ChargeFacts }
  /** Saving was required but the upstream cannot store this instrument: nothing was charged. */
  | { readonly kind: 'cannot_save'; readonly facts: ChargeFacts }
  /** Only for a withheld instrument: no earlier request under the key was carried out, and none will be. */
  | { readonly kind: 'not_carried_out'; readonly facts: ChargeFacts }
  | NoAnswer;
