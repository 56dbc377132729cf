import type { Task, TaskDependencies } from '../buyer/buyer-tasks.ts';
import type { BuyerOutcome } from '../buyer/virtual-buyer.ts';
import type { DisputePosition, DisputeStage } from '../directives/dispute-directives.ts';
import type { Trigger } from '../directives/trigger-rows.ts';
import type { SandboxDependencies } from '../lib/dependencies.ts';
import type { WireRequest, WireResponse } from '../lib/wire.ts';
import type { NotificationSigner } from '../outbox/outbox.ts';
import type { Batch, Movement } from '../settlement/movement.ts';

/** What came of opening a dispute. */
export type OpenedDispute = { readonly upstreamId: string } | 'amount_not_carried' | null;

type Acting = Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>;

export interface SimulatedWire {
  /**
   * Answers one request. Rejects with `ConnectionDropped` where the simulated processor closes the connection, and
   * with the cause where its own database fails: in both cases the client cannot know what happened.
   */
  handle(request: WireRequest, signal?: AbortSignal): Promise<WireResponse>;
}

/** What the folder of a simulated processor declares: its wire, and what people behind it can do. */
export interface Simulator {
  create(deps: SandboxDependencies): SimulatedWire;
  createSigner(deps: SandboxDependencies): NotificationSigner;
  /** Tables of its own, as SQL that may be run again and again. */
  readonly schema: string;
  /** Every test card and trigger. */
  readonly triggers: readonly Trigger[];
  /**
   * Lets the buyer of a captured payment dispute it, and plans the notification for now.
   * @returns null where nothing was captured under the reference, or less than the amount; `amount_not_carried` where the
   *   upstream's wire has no form for the amount
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
   * Moves a dispute as its issuer or scheme would.
   * @returns false where it is unknown, or cannot come there
   */
  moveDispute(
    deps: Acting,
    asked: { readonly merchantAccount: string; readonly upstreamId: string; readonly to: DisputePosition },
  ): Promise<boolean>;
  /**
   * Decides a refund that waits.
   * @returns false where none waits under the merchant's own name of it
   */
  settleRefund(
    deps: Pick<SandboxDependencies, 'database' | 'now'>,
    merchantAccount: string,
    refundReference: string,
    outcome: 'succeeded' | 'failed',
  ): Promise<boolean>;
  /**
   * Voids a hold as somebody does in the upstream's own dashboard; absent where there are none.
   * @returns false where nothing is held under the merchant's own name of the payment
   */
  voidHold?(
    deps: Pick<SandboxDependencies, 'database' | 'now'>,
    asked: { readonly merchantAccount: string; readonly paymentReference: string },
  ): Promise<boolean>;
  /** What it pays out, and the report of it in its own format; absent where it writes none. */
  readonly settlement?: {
    /** All that ever moved money, up to a moment of the merchant account's time. */
    movements(
      deps: Pick<SandboxDependencies, 'database'>,
      merchantAccount: string,
      now: Date,
    ): Promise<readonly Movement[]>;
    report(batches: readonly Batch[]): { readonly name: string; readonly content: string };
  };
  /** What waits for a buyer under an id, for its page; absent where no buyer is ever asked. */
  findTask?(deps: TaskDependencies, kind: Task['kind'], id: string): Promise<Task | null>;
  /** Does what that page does. @returns where the browser then goes; null where nothing waits, or it never comes back */
  answerBuyer?(
    deps: Acting,
    id: string,
    outcome: BuyerOutcome,
  ): Promise<{ readonly returnUrl: string } | null>;
}
