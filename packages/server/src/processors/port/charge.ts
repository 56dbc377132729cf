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

/** What pays: a card known now, a saved one, or fields or a wallet that the buyer completes in the browser. */
export type ChargeInstrument =
  | { readonly kind: 'card'; readonly card: Card }
  | StoredInstrument
  | { readonly kind: 'card_fields' | 'wallet' }
  | WithheldInstrument;

/**
 * A typed card or a saved method that is no longer available. It asks what an earlier request under the same
 * key did, and charges nothing where there was none.
 */
export interface WithheldInstrument {
  readonly kind: 'withheld';
  readonly method: 'card' | 'wallet';
  readonly initiator: 'customer' | 'merchant';
}

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
  /**
   * Commits the key of a changed copy of the request before that is sent, so that it can be asked for after a crash.
   * False: another process holds the attempt by now, and nothing may be sent. Absent: the key is kept nowhere.
   */
  readonly commitKey?: (upstreamKey: string) => Promise<boolean>;
  /** An earlier request under the key had no answer: a refusal of this one alone proves nothing. */
  readonly isRepeat?: true;
  readonly amount: number;
  readonly currency: string;
  readonly instrument: ChargeInstrument;
  readonly captureMethod: 'automatic' | 'manual';
  readonly authentication: AuthenticationDemand;
  /** Where the upstream sends the buyer's browser back to. */
  readonly returnUrl: string;
  /** Where it sends a buyer who cancels. */
  readonly cancelUrl: string;
  /** Name of the shop as buyers know it. */
  readonly merchantName: string;
  /** The merchant's own `reference`; not unique. */
  readonly reference: string | null;
  /** The descriptor to send: sanitised and cut already (`payments/request/descriptor.ts`). */
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
  /** Null: the instrument is not kept. */
  readonly save: SaveRequest | null;
  /** Names this payment's risk session, at most 36 characters; the same on every call about it. */
  readonly riskSession: string | null;
  /** Buyer risk data to be sent to the upstream before the charge (spec, `stc`). */
  readonly transactionContext: Readonly<Record<string, string>> | null;
  /** Account time when the payment was created. */
  readonly createdAt: Date;
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
  /** What was saved; null also where it is still to come or never will. */
  readonly saved: SavedInstrument | null;
}

/** When a hold stops being guaranteed and when it ends; null where the upstream does not say. */
export interface HoldDeadlines {
  readonly guaranteedUntil: Date | null;
  readonly expires: Date | null;
}

/** The money moved or is held, or the issuer said no. */
export type SettledOutcome =
  | { readonly kind: 'succeeded'; readonly facts: ChargeFacts }
  | { readonly kind: 'authorized'; readonly facts: ChargeFacts; readonly deadlines: HoldDeadlines }
  | {
      readonly kind: 'declined';
      readonly code: FailureCode;
      readonly facts: ChargeFacts;
      /** The saved instrument must not be charged again: revoked, closed or unknown upstream. */
      readonly instrumentGone?: true;
    };

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
  /** Saving was required and the upstream cannot store this instrument: nothing was charged. */
  | { readonly kind: 'cannot_save'; readonly facts: ChargeFacts }
  /** Of a withheld instrument: no earlier request under the key was carried out, and none will be. */
  | { readonly kind: 'not_carried_out'; readonly facts: ChargeFacts }
  | NoAnswer;
