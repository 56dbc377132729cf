import type { Task, TaskDependencies } from '../buyer/buyer-tasks.ts';
import type { BuyerOutcome } from '../buyer/virtual-buyer.ts';
import type { DisputePosition, DisputeStage } from '../directives/dispute-directives.ts';
import type { Trigger } from '../directives/trigger-rows.ts';
import type { SandboxDependencies } from '../lib/dependencies.ts';
import type { WireRequest, WireResponse } from '../lib/wire.ts';
import type { NotificationSigner } from '../outbox/outbox.ts';
import type { Batch, Movement } from '../settlement/movement.ts';

/** The result of opening a dispute. */
export type OpenedDispute = { readonly upstreamId: string } | 'amount_not_carried' | null;

type Acting = Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>;

export interface SimulatedWire {
  /**
   * Handles one request. Rejects with `ConnectionDropped` if the simulated processor closes the connection,
   * and with the cause if its own database fails. In both cases the client cannot know what happened.
   */
  handle(request: WireRequest, signal?: AbortSignal): Promise<WireResponse>;
}

/**
 * What the folder of a simulated processor exports: its HTTP API, and what people at the processor, the
 * issuer and the buyer can do.
 */
export interface Simulator {
  create(deps: SandboxDependencies): SimulatedWire;
  createSigner(deps: SandboxDependencies): NotificationSigner;
  /** The processor's own tables, as an idempotent SQL script. */
  readonly schema: string;
  /** Every test card and trigger. */
  readonly triggers: readonly Trigger[];
  /**
   * Makes the buyer dispute a captured payment, and plans the notification for now.
   * @returns null if nothing was captured under the reference, or less than the amount; `amount_not_carried`
   *   if the upstream's wire format cannot represent the amount
   */
  openDispute(
    deps: Acting,
    asked: {
      readonly merchantAccount: string;
      readonly paymentReference: string;
      readonly state: DisputeStage;
      readonly amount?: number | undefined;
      readonly reason?: string | undefined;
    },
  ): Promise<OpenedDispute>;
  /**
   * Moves a dispute to another position, as its issuer or card scheme would.
   * @returns false if the dispute is unknown or cannot move there
   */
  moveDispute(
    deps: Acting,
    asked: { readonly merchantAccount: string; readonly upstreamId: string; readonly to: DisputePosition },
  ): Promise<boolean>;
  /**
   * Decides a pending refund.
   * @returns false if none is pending under the merchant's own reference
   */
  settleRefund(
    deps: Pick<SandboxDependencies, 'database' | 'now'>,
    merchantAccount: string,
    refundReference: string,
    outcome: 'succeeded' | 'failed',
  ): Promise<boolean>;
  /**
   * Voids a hold, as if somebody did so in the upstream's own dashboard. Absent if the processor has no
   * holds.
   * @returns false if nothing is held under the merchant's own reference of the payment
   */
  voidHold?(
    deps: Pick<SandboxDependencies, 'database' | 'now'>,
    asked: { readonly merchantAccount: string; readonly paymentReference: string },
  ): Promise<boolean>;
  /** The processor's settlements and their report in its own format. Absent if it writes no reports. */
  readonly settlement?: {
    /** Returns everything that ever moved money, up to a moment in the merchant account's time. */
    movements(
      deps: Pick<SandboxDependencies, 'database'>,
      merchantAccount: string,
      now: Date,
    ): Promise<readonly Movement[]>;
    report(batches: readonly Batch[]): { readonly name: string; readonly content: string };
  };
  /**
   * Finds the task that waits for a buyer under an id, for its page. Absent if the processor never asks a
   * buyer.
   */
  findTask?(deps: TaskDependencies, kind: Task['kind'], id: string): Promise<Task | null>;
  /**
   * Has the same effect as the buyer's answer on that page.
   * @returns where the browser goes next; null if no task waits, or if the page never returns
   */
  answerBuyer?(
    deps: Acting,
    id: string,
    outcome: BuyerOutcome,
  ): Promise<{ readonly returnUrl: string } | null>;
}
