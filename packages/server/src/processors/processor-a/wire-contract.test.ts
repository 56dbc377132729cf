import { beforeAll, describe, expect, it } from 'vitest';
import { sampleCancel, sampleCharge, sampleConfirm } from '../fixtures.ts';
import type { ProcessorPort } from '../port/port.ts';
import { reply, scriptedTransport } from '../wire/test-transport.ts';
import { wireOf } from '../wire/test-wire.ts';
import { createProcessorA } from './adapter.ts';
import { checkConnectionA } from './check.ts';
import { buyer, connection, run, storedCard } from './test-kit.ts';
import { checkoutVersion, disputesVersion } from './upstream-versions.ts';

const wire = wireOf({
  [`adyen-checkout-${checkoutVersion}`]: connection.baseUrl,
  [`adyen-disputes-${disputesVersion}`]: connection.disputesUrl,
});
const dispute = { disputeId: 'dp_1', upstreamId: 'DZ4DPSHB4WD2WN82', upstreamKey: 'dp_1:1' };
const file = { name: 'a.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') } as const;
const reasons = {
  defenseReasons: [
    {
      defenseReasonCode: 'GoodsNotReceived',
      defenseDocumentTypes: [{ defenseDocumentTypeCode: 'DefenseMaterial', requirementLevel: 'Required' }],
      satisfied: false,
    },
  ],
  disputeServiceResult: { success: true },
};
const done = { disputeServiceResult: { success: true } };
const refund = {
  refundId: 're_1',
  paymentId: 'pay_1',
  upstreamKey: 're_1',
  upstream: { psp: 'P1' },
  amount: 1000,
  currency: 'EUR',
  reason: null,
  note: null,
};

/** Every operation of the adapter that calls the upstream, with the responses that let it proceed. */
const operations: Readonly<
  Record<string, readonly [readonly object[], (port: ProcessorPort) => Promise<unknown>]>
> = {
  charge: [[{}], (port) => port.charge(connection, sampleCharge())],
  'charge of a saved card': [
    [{}],
    (port) => port.charge(connection, sampleCharge({ buyer, instrument: storedCard() })),
  ],
  confirm: [
    [{}],
    (port) => port.confirm(connection, sampleConfirm({ returned: [{ redirectResult: 'opaque' }] })),
  ],
  cancel: [[{}], (port) => port.cancel(connection, sampleCancel({ upstream: { psp: 'P1' } }))],
  'cancel of what has no reference': [[{}], (port) => port.cancel(connection, sampleCancel())],
  removeInstrument: [
    [{}],
    (port) => port.removeInstrument(connection, { token: 'M5N7', customerId: 'cus_1', upstreamKey: 'pm_1' }),
  ],
  refund: [[{}], (port) => port.refund(connection, refund)],
  acceptDispute: [[done], (port) => port.acceptDispute(connection, dispute)],
  defendDispute: [
    [reasons, done, done],
    (port) =>
      port.defendDispute(connection, {
        ...dispute,
        state: 'chargeback',
        reasonCode: null,
        statement: 'They signed for it.',
        evidence: [{ type: 'receipt', text: null, file }],
      }),
  ],
};

describe.skipIf(!wire.present)(wire.title, () => {
  beforeAll(() => wire.load());

  it.each(Object.entries(operations))('accepts the requests of %s', async (_name, [answers, operation]) => {
    const { sent } = await run(
      answers.map((body) => reply(200, body)),
      operation,
    );
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.flatMap((request) => wire.faultsOf(request))).toEqual([]);
  });

  it('accepts the check of a connection', async () => {
    const { transport, sent } = scriptedTransport([reply(200, { paymentMethods: [] })]);
    await checkConnectionA(transport, connection);
    expect(sent).toHaveLength(1);
    expect(sent.flatMap((request) => wire.faultsOf(request))).toEqual([]);
  });

  it('rejects an unknown request', () => {
    const request = {
      method: 'POST',
      url: `${connection.baseUrl}/payment`,
      headers: {},
      body: Buffer.from('{}'),
    };
    expect(wire.faultsOf(request)).toHaveLength(1);
    const json = { 'content-type': 'application/json' };
    expect(
      wire.faultsOf({ ...request, url: `${connection.baseUrl}/payments`, headers: json }).length,
    ).toBeGreaterThan(0);
  });
});

it('covers every operation of the adapter', () => {
  const port = createProcessorA({
    transport: scriptedTransport([]).transport,
    delay: async () => {},
    elapsed: () => 0,
  });
  const asking = Object.entries(port)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  // The adapter has no holds and no look-up, and interprets notifications without calling the upstream.
  const silent = [
    'retryAfterSeconds',
    'unsentFields',
    'canSave',
    'supportsAmount',
    'capture',
    'void',
    'lookUp',
    'receiveNotification',
    'interpretNotification',
  ];
  expect(asking.filter((name) => !silent.includes(name) && operations[name] === undefined)).toEqual([]);
});
