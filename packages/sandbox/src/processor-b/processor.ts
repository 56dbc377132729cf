import type { Simulator } from '../simulator/simulator.ts';
import { settleRefundB } from './after-payment/refunds.ts';
import { voidHoldB } from './after-payment/void-hold.ts';
import { findOrderTask } from './buyer-task.ts';
import { moveDisputeB, openDisputeB } from './disputes/disputes.ts';
import { resolveOrder } from './orders/approval.ts';
import { settlementB } from './settlement/settlement.ts';
import { createProcessorB } from './simulator.ts';
import { schema } from './store/schema.ts';
import { triggers } from './triggers.ts';
import { resolveSetupToken } from './vault/setup-tokens.ts';
import { createNotificationSignerB } from './webhooks.ts';

/** The simulator of PayPal's REST API. */
export const processorB: Simulator = {
  create: createProcessorB,
  createSigner: createNotificationSignerB,
  schema,
  triggers,
  openDispute: openDisputeB,
  moveDispute: moveDisputeB,
  settleRefund: settleRefundB,
  voidHold: voidHoldB,
  settlement: settlementB,
  findTask: findOrderTask,
  answerBuyer: async (deps, id, outcome) =>
    (await resolveOrder(deps, id, outcome)) ?? resolveSetupToken(deps, id, outcome),
};
