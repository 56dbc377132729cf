import type { Simulator } from '../simulator.ts';
import { resolveOrder } from './approval.ts';
import { findOrderTask } from './buyer-task.ts';
import { moveDisputeB, openDisputeB } from './disputes.ts';
import { settleRefundB } from './refunds.ts';
import { schema } from './schema.ts';
import { resolveSetupToken } from './setup-tokens.ts';
import { createProcessorB } from './simulator.ts';
import { triggers } from './triggers.ts';
import { voidHoldB } from './void-hold.ts';
import { createNotificationSignerB } from './webhooks.ts';

/** PayPal REST. */
export const processorB: Simulator = {
  create: createProcessorB,
  createSigner: createNotificationSignerB,
  schema,
  triggers,
  openDispute: openDisputeB,
  moveDispute: moveDisputeB,
  settleRefund: settleRefundB,
  voidHold: voidHoldB,
  findTask: findOrderTask,
  answerBuyer: async (parts, id, outcome) =>
    (await resolveOrder(parts, id, outcome)) ?? resolveSetupToken(parts, id, outcome),
};
