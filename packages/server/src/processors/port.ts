/**
 * What the rest of the server knows of a payment processor. Every adapter translates between this port and one
 * upstream's wire; nothing upstream-specific crosses it. Amounts are integers in the currency's minor units.
 */
import type { Address, AvsVerdict, BrowserInfo, FailureCode, LineItem, ThreeDSecure } from '@till/contract';

export interface Card {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
  readonly holderName: string;
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
  readonly amount: number;
  readonly currency: string;
  readonly card: Card;
  readonly authentication: AuthenticationDemand;
  /** Where the upstream sends the buyer's browser back to. */
  readonly returnUrl: string;
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

/** Facts about an answered charge, kept beside the payment. */
export interface ChargeFacts {
  /** The upstream's own id of the payment. */
  readonly upstreamReference: string | null;
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly threeDSecure: ThreeDSecure | null;
  readonly avs: AvsVerdict | null;
  readonly networkTransactionReference: string | null;
}

/**
 * How a charge ended.
 * - `succeeded`, `declined`: a definite answer.
 * - `not_executed`: the upstream certainly did nothing (connection refused, our credentials refused): safe to repeat.
 * - `unknown`: the request may have been carried out; the payment stays in doubt until the upstream tells.
 * `answer` says which error the merchant gets meanwhile (decisions, "Payments").
 */
export type ChargeOutcome =
  | { readonly kind: 'succeeded'; readonly facts: ChargeFacts }
  | { readonly kind: 'declined'; readonly code: FailureCode; readonly facts: ChargeFacts }
  | { readonly kind: 'not_executed' | 'unknown'; readonly answer: ProviderAnswer; readonly reason: string };

/** 502 `provider_error` or 503 `provider_unavailable`. */
export type ProviderAnswer = 'provider_error' | 'provider_unavailable';

/** One account's way to its processor in one environment. */
export interface ProcessorConnection {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
}

export interface ProcessorPort {
  readonly name: 'processor_a' | 'processor_b';
  /** False where the upstream's wire cannot carry the amount exactly: it counts a few currencies in larger units. */
  carries(amount: number, currency: string): boolean;
  /** Charges a card once per `upstreamKey`; the same key asks for the first attempt's answer. Never throws for upstream failures. */
  charge(connection: ProcessorConnection, request: ChargeRequest): Promise<ChargeOutcome>;
}
