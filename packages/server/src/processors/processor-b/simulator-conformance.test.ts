import { afterAll, beforeAll } from 'vitest';
import {
  type ConformanceHarness,
  describeConformance,
  describeRefunds,
  type UpstreamBehaviour,
} from '../conformance.ts';
import type { ChargeRequest } from '../port/port.ts';
import { describeHolds } from '../test-hold-conformance.ts';
import { cardOf, connectSimulator, createSimulatorDatabase, newCharge } from './test-simulator.ts';

let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;

beforeAll(async () => {
  database = await createSimulatorDatabase();
});
afterAll(() => database.drop());

function harness(): ConformanceHarness {
  const simulator = connectSimulator(database.pool);
  const { port, connection, loseNextAnswer } = simulator;
  const chargeThat = (behaviour: UpstreamBehaviour): ChargeRequest => {
    switch (behaviour) {
      case 'asks_buyer':
        return newCharge({ instrument: { kind: 'wallet' } });
      case 'declines':
        return newCharge(cardOf('CCREJECT-REFUSED'));
      case 'drops_answer':
        loseNextAnswer();
        return newCharge();
      default:
        return newCharge(behaviour === 'answers_nonsense' ? cardOf('SIM-500') : {});
    }
  };
  return {
    port,
    connection,
    chargeThat,
    executed: (paymentId) => simulator.collected(paymentId),
    approve: (_, { order = '' }) => simulator.approve(order),
    loseNextAnswer,
  };
}

describeConformance('processor_b over its simulator', async () => harness());
describeHolds('processor_b over its simulator', async () => harness());
describeRefunds('processor_b over its simulator', async () => harness());
