import type { Simulator } from '../simulator/simulator.ts';
import { answerChallenge } from './authorisation/challenges.ts';
import { findChallengeTask } from './buyer-task.ts';
import { moveDisputeA, openDisputeA } from './disputes/disputes.ts';
import { settleRefundA } from './modifications/settle-refund.ts';
import { signNotificationA } from './notifications/sign-notification.ts';
import { settlementA } from './settlement/settlement.ts';
import { createProcessorA } from './simulator.ts';
import { schema } from './store/schema.ts';
import { triggers } from './triggers.ts';

/** The simulator of Adyen Checkout and of its dispute service. */
export const processorA: Simulator = {
  create: createProcessorA,
  createSigner: signNotificationA,
  schema,
  triggers,
  openDispute: openDisputeA,
  moveDispute: moveDisputeA,
  settleRefund: settleRefundA,
  settlement: settlementA,
  findTask: findChallengeTask,
  answerBuyer: answerChallenge,
};
