import type { Simulator } from '../../../packages/sandbox/src/simulator/simulator.ts';
import { answerBuyer, findTask } from './buyer.ts';
import { schema } from './store.ts';
import { challengedName, createProcessorC, declinedName } from './wire.ts';

const holder = (value: string) => ({ field: 'payment_method.holder_name', value });

/** A simple card processor without notifications and disputes. */
export const processorC: Simulator = {
  create: createProcessorC,
  createSigner: () => () => {
    throw new Error('this processor sends no notifications');
  },
  schema,
  triggers: [
    {
      id: 'D1',
      trigger: holder(declinedName),
      processor: 'processor_c',
      outcome: 'Declined: not enough money',
      failure_code: 'insufficient_funds',
    },
    {
      id: 'T2',
      trigger: holder(challengedName),
      processor: 'processor_c',
      outcome: 'The bank asks its buyer',
    },
  ],
  openDispute: async () => null,
  moveDispute: async () => false,
  settleRefund: async () => false,
  findTask,
  answerBuyer,
};
