import type { Simulator } from '../simulator.ts';
import { findChallengeTask } from './buyer-task.ts';
import { answerChallenge } from './challenges.ts';
import { moveDisputeA, openDisputeA } from './disputes.ts';
import { schema } from './schema.ts';
import { settleRefundA } from './settle-refund.ts';
import { signNotificationA } from './sign-notification.ts';
import { createProcessorA } from './simulator.ts';
import { triggers } from './triggers.ts';

/** Adyen Checkout and its dispute service. */
export const processorA: Simulator = {
  create: createProcessorA,
  createSigner: signNotificationA,
  schema,
  triggers,
  openDispute: openDisputeA,
  moveDispute: moveDisputeA,
  settleRefund: settleRefundA,
  findTask: findChallengeTask,
  answerBuyer: answerChallenge,
};
