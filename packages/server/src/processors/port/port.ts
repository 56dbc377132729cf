/**
 * What the rest of the server knows of a payment processor. Every adapter translates between this port and one
 * upstream's wire; nothing upstream-specific crosses it. Amounts are integers in the currency's minor units.
 */
import type { Provider } from '@till/contract';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { NoAnswer } from './answers.ts';
import type { ProcessorCapabilities } from './capabilities.ts';
import type { ChargeOutcome, ChargeRequest } from './charge.ts';
import type { AcceptDisputeRequest, DefendDisputeRequest, DisputeMoveOutcome } from './disputes.ts';
import type {
  ClientTokenOutcome,
  ClientTokenRequest,
  RemoveInstrumentOutcome,
  RemoveInstrumentRequest,
} from './instruments.ts';
import type { NotificationEffect, NotificationIntake, NotificationRequest } from './notifications.ts';
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
} from './payment-operations.ts';
import type { RefundLookUp, RefundOutcome, RefundRequest } from './refunds.ts';
import type { UnsentField } from './unsent.ts';

export type * from './answers.ts';
export type * from './charge.ts';
export type * from './payment-operations.ts';

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
  /** What became of a refund that was accepted; absent where only the notification says so. */
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
