import { describe, expect, it } from 'vitest';
import {
  sampleCancel,
  sampleCharge,
  sampleConfirm,
  sampleHold,
  sampleLookUp,
  sampleSubmit,
} from './fixtures.ts';
import type { DefendDisputeRequest } from './port/disputes.ts';
import type { ProcessorConnection, ProcessorPort } from './port/port.ts';
import { connection as connectionA, run as runA } from './processor-a/test-kit.ts';
import {
  connection as connectionB,
  disputeBody,
  orderBody,
  orderId,
  run as runB,
  sampleRefund,
} from './processor-b/test-kit.ts';
import { reply, type Step } from './wire/test-transport.ts';

type Operation<Port> = (port: Port, connection: ProcessorConnection) => Promise<object>;
type PortB = Parameters<Parameters<typeof runB>[1]>[0];

/** Bodies that an intermediary returns when the processor itself does not answer: a page, or nothing at all. */
const pages = ['<html>Welcome</html>', '', '{}', '[]', '"ok"'];
const statuses = [200, 201, 202];
const answers = statuses.flatMap((status) => pages.map((body) => ({ status, body })));

const defence: DefendDisputeRequest = {
  disputeId: 'dp_1',
  upstreamId: disputeBody().dispute_id,
  upstreamKey: 'dp_1:defend',
  state: 'chargeback',
  reasonCode: null,
  statement: 'It was delivered.',
  evidence: [{ type: 'receipt', text: 'Signed for.', file: null }],
};
const removal = { token: '8kk845', customerId: 'cus_1', upstreamKey: 'pm_1:r' };
const psp = { psp: 'P1' };
const order = { order: orderId };
const hold = { ...order, authorization: '0AW2184448108334S' };
const refund = (upstream: object) => sampleRefund({ upstream });

/** Operations, each with the well-formed responses that precede the one under test. */
const ofA: readonly [string, Operation<ProcessorPort>, readonly Step[]][] = [
  ['charge', (port, to) => port.charge(to, sampleCharge()), []],
  [
    'confirm',
    (port, to) => port.confirm(to, sampleConfirm({ upstream: psp, returned: [{ redirectResult: 'r' }] })),
    [],
  ],
  ['cancel', (port, to) => port.cancel(to, sampleCancel({ upstream: psp })), []],
  ['cancel by our reference', (port, to) => port.cancel(to, sampleCancel()), []],
  ['refund', (port, to) => port.refund(to, refund(psp)), []],
  ['removeInstrument', (port, to) => port.removeInstrument(to, removal), []],
  ['acceptDispute', (port, to) => port.acceptDispute(to, defence), []],
  // If no defence reason is offered, the defence itself follows at once.
  [
    'defendDispute',
    (port, to) => port.defendDispute(to, { ...defence, evidence: [] }),
    [reply(200, { disputeServiceResult: { success: true } })],
  ],
];

const ofB: readonly [string, Operation<PortB>, readonly Step[]][] = [
  ['charge', (port, to) => port.charge(to, sampleCharge()), []],
  [
    'confirm',
    (port, to) => port.confirm(to, sampleConfirm({ upstream: order })),
    [reply(200, orderBody('APPROVED'))],
  ],
  ['submitCard', (port, to) => port.submitCard(to, sampleSubmit({ upstream: order })), []],
  ['capture', (port, to) => port.capture(to, sampleHold({ upstream: hold })), []],
  ['void', (port, to) => port.void(to, sampleHold({ upstream: hold })), []],
  ['lookUp', (port, to) => port.lookUp(to, sampleLookUp({ upstream: order })), []],
  ['lookUp of a hold', (port, to) => port.lookUp(to, sampleLookUp({ upstream: hold })), []],
  ['cancel', (port, to) => port.cancel(to, sampleCancel({ upstream: order })), []],
  ['cancel of a hold', (port, to) => port.cancel(to, sampleCancel({ upstream: hold })), []],
  ['refund', (port, to) => port.refund(to, refund({ ...order, capture: '3C679366HH908993F' })), []],
  ['removeInstrument', (port, to) => port.removeInstrument(to, removal), []],
  ['acceptDispute', (port, to) => port.acceptDispute(to, defence), [reply(200, disputeBody())]],
  ['defendDispute', (port, to) => port.defendDispute(to, defence), [reply(200, disputeBody())]],
];

describe('a success status without the documented body is an unknown outcome', () => {
  it.each(ofA)('processor_a: %s', async (_name, operation, before) => {
    for (const { status, body } of answers) {
      const { outcome } = await runA([...before, reply(status, body)], (port) =>
        operation(port, connectionA),
      );
      expect({ status, body, outcome }).toMatchObject({ outcome: { kind: 'unknown' } });
    }
  });

  it.each(ofB)('processor_b: %s', async (_name, operation, before) => {
    for (const { status, body } of answers) {
      const { outcome } = await runB([...before, reply(status, body)], (port) =>
        operation(port, connectionB),
      );
      expect({ status, body, outcome }).toMatchObject({ outcome: { kind: 'unknown' } });
    }
  });
});
