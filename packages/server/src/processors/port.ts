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
  Provider,
  ThreeDSecure,
} from '@till/contract';
import type { Suspend } from '../lib/suspend.ts';
import type { ProcessorCapabilities } from './port/capabilities.ts';
import type { AcceptDisputeRequest, DefendDisputeRequest, DisputeMoveOutcome } from './port/disputes.ts';
import type {
  ClientTokenOutcome,
  ClientTokenRequest,
  RemoveInstrumentOutcome,
  RemoveInstrumentRequest,
  SavedInstrument,
  SaveRequest,
  StoredInstrument,
} from './port/instruments.ts';
import type { NotificationEffect, NotificationIntake, NotificationRequest } from './port/notifications.ts';
import type {
  CancelOutcome,
  CancelRequest,
  CaptureOutcome,
  ConfirmOutcome,
  ConfirmRequest,
  HoldRequest,
  LookUpOutcome,
  LookUpRequest,
  SubmitCardOutcome,
  SubmitCardRequest,
  VoidOutcome,
} from './port/payment-operations.ts';
import type { RefundLookUp, RefundOutcome, RefundRequest } from './port/refunds.ts';
import type { UnsentField } from './port/unsent.ts';
import type { TransportError } from './transport.ts';

export type * from './port/payment-operations.ts';

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
 * A typed card or a saved method that is not at hand any more. It asks what an earlier request under the same
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
   * False: the attempt is somebody else's by now, and nothing may be sent. Absent: the key is kept nowhere.
   */
  readonly commitKey?: (upstreamKey: string) => Promise<boolean>;
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
  /** Buyer risk data to be told to the upstream before the charge (spec, `stc`). */
  readonly transactionContext: Readonly<Record<string, string>> | null;
  /** Account time when the payment was created. */
  readonly createdAt: Date;
}

/** Ids under which the upstream keeps a payment; which of them exist depends on the processor and the state. */
export interface UpstreamIds {
  /** The payment's one reference, at processors that have no orders. */
  readonly psp?: string;
  /** Elsewhere: what was approved, what is held and what was collected. */
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
  /** What was saved; null also where it is still to come or never will. */
  readonly saved: SavedInstrument | null;
}

/** When a hold stops being guaranteed and when it ends; null where the upstream does not tell. */
export interface HoldDeadlines {
  readonly guaranteedUntil: Date | null;
  readonly expires: Date | null;
}

/** 502 `provider_error` or 503 `provider_unavailable`. */
export type ProviderAnswer = 'provider_error' | 'provider_unavailable';

/** The error that an upstream answered with instead of an outcome. */
export interface UpstreamError {
  readonly status: number;
  /** The upstream's own code, of letters, digits and underscores only; null where it names none. */
  readonly code: string | null;
  /** Path of the field of the payment request that the code is about, where it is known to mean one. */
  readonly param?: string;
}

/**
 * No definite answer. `not_executed`: this call certainly did nothing (an earlier one may have); `unknown`: it may have
 * been carried out, and the payment stays in doubt until the upstream tells. `reason` is for logs and carries no data.
 */
export interface NoAnswer {
  readonly kind: 'not_executed' | 'unknown';
  readonly answer: ProviderAnswer;
  readonly reason: string;
  /** Absent where the upstream answered with no error. */
  readonly error?: UpstreamError;
  /** Why nothing came back from the upstream; absent where something did, or where it was not asked. */
  readonly transport?: TransportError['kind'];
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

/**
 * One account's way to its processor in one environment. `credentials` stand under the keys that the processor's folder
 * declares (`Processor.credentialFields`), with what its simulator needs beside them.
 */
export interface ProcessorConnection {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly baseUrl: string;
  /** Where the upstream takes calls about disputes; `baseUrl` where it is the same. */
  readonly disputesUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  /** How the request that asks waits for the answer; absent: no request does. */
  readonly suspend?: Suspend | undefined;
}

/** Nothing here throws for upstream failures: every way that a request can end is a value. */
export interface ProcessorPort {
  readonly name: Provider;
  readonly capabilities: ProcessorCapabilities;
  /**
   * Seconds after which to ask again, where a call would be refused now because too many wait for the upstream or it
   * hangs; null where a call may be made.
   */
  retryAfterSeconds(connection: ProcessorConnection): number | null;
  /** False where the upstream's wire cannot carry the amount exactly: it counts a few currencies in larger units. */
  carries(amount: number, currency: string): boolean;
  /** False where the upstream cannot keep such an instrument for later charges. @param brand null: not known yet */
  stores(method: 'card' | 'wallet', brand: string | null): boolean;
  /** The fields of a charge that its request to the upstream leaves out. */
  unsentFields(request: ChargeRequest): readonly UnsentField[];
  /** Starts a payment once per `upstreamKey`; the same key asks for the first attempt's answer. */
  charge(connection: ProcessorConnection, request: ChargeRequest): Promise<ChargeOutcome>;
  confirm(connection: ProcessorConnection, request: ConfirmRequest): Promise<ConfirmOutcome>;
  /** Absent where the processor has no card fields. */
  submitCard?(connection: ProcessorConnection, request: SubmitCardRequest): Promise<SubmitCardOutcome>;
  capture(connection: ProcessorConnection, request: HoldRequest): Promise<CaptureOutcome>;
  void(connection: ProcessorConnection, request: HoldRequest): Promise<VoidOutcome>;
  lookUp(connection: ProcessorConnection, request: LookUpRequest): Promise<LookUpOutcome>;
  cancel(connection: ProcessorConnection, request: CancelRequest): Promise<CancelOutcome>;
  removeInstrument(
    connection: ProcessorConnection,
    request: RemoveInstrumentRequest,
  ): Promise<RemoveInstrumentOutcome>;
  /** Absent where the processor has no browser SDK for wallets. */
  clientToken?(connection: ProcessorConnection, request: ClientTokenRequest): Promise<ClientTokenOutcome>;
  /** Gives money back once per `upstreamKey`; the same key asks for the first try's answer. */
  refund(connection: ProcessorConnection, request: RefundRequest): Promise<RefundOutcome>;
  /** What became of a refund that was accepted; absent where only the notification tells. */
  lookUpRefund?(connection: ProcessorConnection, request: RefundLookUp): Promise<RefundOutcome>;
  acceptDispute(connection: ProcessorConnection, request: AcceptDisputeRequest): Promise<DisputeMoveOutcome>;
  defendDispute(connection: ProcessorConnection, request: DefendDisputeRequest): Promise<DisputeMoveOutcome>;
  /** What to answer an accepted notification with. */
  readonly notificationReceipt: string;
  /** Verifies that a delivery comes from the upstream and is meant for this connection. Changes nothing. */
  receiveNotification(
    connection: ProcessorConnection,
    request: NotificationRequest,
  ): Promise<NotificationIntake>;
  /** What a verified notification means; may ask the upstream for the present state. */
  interpretNotification(
    connection: ProcessorConnection,
    body: unknown,
  ): Promise<readonly NotificationEffect[] | NoAnswer>;
}
