/**
 * The port through which the rest of the server uses a payment processor. Each adapter translates between this port and one
 * upstream's API; nothing upstream-specific crosses it. Amounts are integers in the currency's minor units.
 */
import type { Provider } from '@till/contract';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { NoAnswer } from './answers.ts';
import type { ProcessorCapabilities } from './capabilities.ts';
import type { ChargeOutcome, ChargeRequest } from './charge.ts';
import type { AcceptDisputeRequest, DefendDisputeRequest, DisputeActionOutcome } from './disputes.ts';
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
 * One account's connection to its processor in one environment. `credentials` has the keys that the processor's folder
 * declares (`Processor.credentialFields`), plus those that its simulator needs.
 */
export interface ProcessorConnection {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly baseUrl: string;
  /** Base URL for calls about disputes; equal to `baseUrl` if the upstream has no separate one. */
  readonly disputesUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  /** How the calling API request is suspended while it waits for the answer; absent: no request waits. */
  readonly suspend?: Suspend | undefined;
}

/** Upstream failures never throw here: every way in which a request can end is a return value. */
export interface ProcessorPort {
  readonly name: Provider;
  readonly capabilities: ProcessorCapabilities;
  /**
   * Seconds after which to retry, if a call would be refused now because the upstream hangs or too many calls wait for it;
   * null if a call may be made.
   */
  retryAfterSeconds(connection: ProcessorConnection): number | null;
  /** False if the upstream's API cannot express the amount exactly: it counts a few currencies in larger units. */
  supportsAmount(amount: number, currency: string): boolean;
  /** False if the upstream cannot store such an instrument for later charges. @param brand null: not known yet */
  canSave(method: 'card' | 'wallet', brand: string | null): boolean;
  /** The fields of a charge that the adapter leaves out of its request to the upstream. */
  unsentFields(request: ChargeRequest): readonly UnsentField[];
  /** Starts a payment once per `upstreamKey`. A repeat with the same key asks for the first attempt's answer. */
  charge(connection: ProcessorConnection, request: ChargeRequest): Promise<ChargeOutcome>;
  confirm(connection: ProcessorConnection, request: ConfirmRequest): Promise<ConfirmOutcome>;
  /** Absent if the processor has no card fields. */
  submitCard?(connection: ProcessorConnection, request: SubmitCardRequest): Promise<SubmitCardOutcome>;
  capture(connection: ProcessorConnection, request: HoldRequest): Promise<CaptureOutcome>;
  void(connection: ProcessorConnection, request: HoldRequest): Promise<VoidOutcome>;
  lookUp(connection: ProcessorConnection, request: LookUpRequest): Promise<LookUpOutcome>;
  cancel(connection: ProcessorConnection, request: CancelRequest): Promise<CancelOutcome>;
  removeInstrument(
    connection: ProcessorConnection,
    request: RemoveInstrumentRequest,
  ): Promise<RemoveInstrumentOutcome>;
  /** Absent if the processor has no browser SDK for wallets. */
  clientToken?(connection: ProcessorConnection, request: ClientTokenRequest): Promise<ClientTokenOutcome>;
  /** Refunds once per `upstreamKey`. A repeat with the same key asks for the first try's answer. */
  refund(connection: ProcessorConnection, request: RefundRequest): Promise<RefundOutcome>;
  /** Reads the outcome of an accepted refund; absent if only the notification reports it. */
  lookUpRefund?(connection: ProcessorConnection, request: RefundLookUp): Promise<RefundOutcome>;
  acceptDispute(
    connection: ProcessorConnection,
    request: AcceptDisputeRequest,
  ): Promise<DisputeActionOutcome>;
  defendDispute(
    connection: ProcessorConnection,
    request: DefendDisputeRequest,
  ): Promise<DisputeActionOutcome>;
  /** Response body for an accepted notification. */
  readonly notificationReceipt: string;
  /** Verifies that a notification comes from the upstream and is meant for this connection. Changes nothing. */
  receiveNotification(
    connection: ProcessorConnection,
    request: NotificationRequest,
  ): Promise<NotificationIntake>;
  /** Interprets a verified notification; may ask the upstream for the current state. */
  interpretNotification(
    connection: ProcessorConnection,
    body: unknown,
  ): Promise<readonly NotificationEffect[] | NoAnswer>;
}
