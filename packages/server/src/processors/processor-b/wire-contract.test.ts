import { beforeAll, describe, expect, it } from 'vitest';
import {
  sampleCancel,
  sampleCharge,
  sampleConfirm,
  sampleHold,
  sampleLookUp,
  sampleSubmit,
} from '../fixtures.ts';
import { reply, scriptedTransport } from '../wire/test-transport.ts';
import { wireOf } from '../wire/test-wire.ts';
import { createProcessorB } from './adapter.ts';
import { checkConnectionB } from './check.ts';
import {
  authorizationBody,
  authorized,
  captureBody,
  captured,
  connection,
  disputeBody,
  link,
  orderBody,
  orderId,
  run,
  sampleRefund,
} from './test-kit.ts';

const wire = wireOf({
  'paypal-checkout_orders_v2': connection.baseUrl,
  'paypal-payments_payment_v2': connection.baseUrl,
  'paypal-vault_payment_tokens_v3': connection.baseUrl,
  'paypal-customer_disputes_v1': connection.baseUrl,
  'paypal-notifications_webhooks_v1': connection.baseUrl,
});
const upstream = { order: orderId };
const held = { order: orderId, authorization: '0AW2184448108334S' };
const taken = { order: orderId, capture: '3C679366HH908993F' };
const dispute = { disputeId: 'dp_1', upstreamId: 'PP-R-NMW-10060356', upstreamKey: 'dp_1:1' };
const approved = orderBody('APPROVED');

type Port = ReturnType<typeof createProcessorB>;

/** Every operation of the adapter that calls the upstream, with the responses that let it proceed. */
const operations: Readonly<Record<string, readonly [readonly object[], (port: Port) => Promise<unknown>]>> = {
  charge: [[captured()], (port) => port.charge(connection, sampleCharge())],
  'charge of a hold': [
    [authorized()],
    (port) => port.charge(connection, sampleCharge({ captureMethod: 'manual' })),
  ],
  'charge of a wallet': [
    [orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link('payer-action')] })],
    (port) => port.charge(connection, sampleCharge({ instrument: { kind: 'wallet' } })),
  ],
  confirm: [[approved, captured()], (port) => port.confirm(connection, sampleConfirm({ upstream }))],
  'confirm of a hold': [
    [approved, authorized()],
    (port) => port.confirm(connection, sampleConfirm({ upstream, captureMethod: 'manual' })),
  ],
  submitCard: [[approved], (port) => port.submitCard(connection, sampleSubmit({ upstream }))],
  capture: [[captureBody()], (port) => port.capture(connection, sampleHold({ upstream: held }))],
  void: [
    [authorizationBody({ status: 'VOIDED' })],
    (port) => port.void(connection, sampleHold({ upstream: held })),
  ],
  lookUp: [[captured()], (port) => port.lookUp(connection, sampleLookUp({ upstream }))],
  'lookUp by a capture': [
    [captureBody()],
    (port) => port.lookUp(connection, sampleLookUp({ upstream: { capture: taken.capture } })),
  ],
  cancel: [
    [authorized(), authorizationBody({ status: 'VOIDED' })],
    (port) => port.cancel(connection, sampleCancel({ upstream: held })),
  ],
  removeInstrument: [
    [{}],
    (port) =>
      port.removeInstrument(connection, { token: '8kk845', customerId: 'cus_1', upstreamKey: 'pm_1' }),
  ],
  refund: [
    [{ id: 'R1', status: 'COMPLETED' }],
    (port) => port.refund(connection, sampleRefund({ upstream: taken })),
  ],
  lookUpRefund: [
    [{ id: 'R1', status: 'COMPLETED' }],
    (port) =>
      port.lookUpRefund(connection, { upstreamId: '1JU08902781691411', amount: 1000, currency: 'EUR' }),
  ],
  acceptDispute: [[disputeBody(), {}], (port) => port.acceptDispute(connection, dispute)],
  defendDispute: [
    [disputeBody(), {}],
    (port) =>
      port.defendDispute(connection, {
        ...dispute,
        state: 'chargeback',
        reasonCode: null,
        statement: 'They signed for it.',
        evidence: [{ type: 'proof_of_delivery', text: 'UPS 1Z', file: null }],
      }),
  ],
  interpretNotification: [
    [disputeBody()],
    (port) =>
      port.interpretNotification(connection, {
        id: 'WH-1',
        event_type: 'CUSTOMER.DISPUTE.UPDATED',
        resource: { dispute_id: 'PP-R-NMW-10060356' },
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
    const token = reply(200, { access_token: 'token', expires_in: 100 });
    const { transport, sent } = scriptedTransport([token, reply(200, {})]);
    const credentials = { ...connection.credentials, webhookId: '1JE4291016473214C' };
    await checkConnectionB(transport, { ...connection, credentials });
    expect(sent).toHaveLength(2);
    expect(wire.faultsOf(sent[1] ?? { method: '', url: '', headers: {}, body: Buffer.alloc(0) })).toEqual([]);
  });
});

it('covers every operation of the adapter', () => {
  const deps = { transport: scriptedTransport([]).transport, delay: async () => {}, elapsed: () => 0 };
  const port = createProcessorB({ ...deps, now: () => new Date(0) });
  const asking = Object.entries(port)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  // Client tokens come from the token endpoint, which no document describes. Signatures are verified locally, or with the
  // postback that contract.test.ts checks.
  const elsewhere = [
    'retryAfterSeconds',
    'unsentFields',
    'canSave',
    'supportsAmount',
    'clientToken',
    'receiveNotification',
  ];
  expect(asking.filter((name) => !elsewhere.includes(name) && operations[name] === undefined)).toEqual([]);
});
