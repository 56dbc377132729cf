import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleCancel, sampleLookUp } from '../../fixtures.ts';
import type { UpstreamIds } from '../../port/port.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  captureBody,
  captured,
  cardResult,
  connection,
  fault,
  foreignPage,
  missing,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';
import { connectSimulator, createSimulatorDatabase, factsOf, newCharge } from '../test-simulator.ts';

const capture = captureBody().id;
const capturePath = `/v2/payments/captures/${capture}`;
const orderPath = `/v2/checkout/orders/${orderId}`;
const related = { supplementary_data: { related_ids: { order_id: orderId } } };
const state = (changes: object = {}) => reply(200, captureBody(changes));

const lookUp = (steps: readonly Step[], upstream: UpstreamIds = { capture }) =>
  run(steps, (port) => port.lookUp(connection, sampleLookUp({ upstream })));
const cancel = (steps: readonly Step[], upstream: UpstreamIds = { capture }) =>
  run(steps, (port) => port.cancel(connection, sampleCancel({ upstream })));

/** Answers that say nothing about a capture. */
const noAnswers = [
  foreignPage,
  fault(403, 'PERMISSION_DENIED'),
  reply(503),
  new TransportError('timeout'),
  reply(200, {}),
  reply(200, captureBody({ custom_id: 'pay_2' })),
  state({ status: 'PENDING' }),
];

describe('the look-up of a payment of which only the capture is known', () => {
  it.each([
    ['COMPLETED', 'succeeded'],
    ['PARTIALLY_REFUNDED', 'succeeded'],
    ['REFUNDED', 'succeeded'],
    ['DECLINED', 'declined'],
    ['FAILED', 'declined'],
  ])('reads the capture: %s is %s', async (status, kind) => {
    const { outcome, calls } = await lookUp([state({ status })]);
    expect(outcome).toMatchObject({ kind, facts: { upstream: { capture } } });
    expect(calls).toEqual([`GET ${capturePath}`]);
  });

  it('reads the order that the capture names, which has the card', async () => {
    const order = reply(200, { ...captured(), ...cardResult() });
    const { outcome, calls } = await lookUp([state(related), order]);
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { order: orderId, capture }, last4: '1111' },
    });
    expect(calls).toEqual([`GET ${capturePath}`, `GET ${orderPath}`]);
  });

  it.each([missing, reply(200, orderBody('APPROVED'))])('%# succeeds without that order', async (order) => {
    expect((await lookUp([state(related), order])).outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { order: orderId, capture } },
    });
  });

  it('proves nothing if the upstream does not know the capture', async () => {
    expect((await lookUp([missing])).outcome).toEqual({ kind: 'cannot_tell' });
  });

  it.each(noAnswers)('%# is in doubt if the capture cannot be read', async (step) => {
    expect((await lookUp([step])).outcome).toMatchObject({ kind: 'unknown' });
  });

  it('is in doubt if the order that the capture names cannot be read', async () => {
    expect((await lookUp([state(related), reply(503)])).outcome).toMatchObject({ kind: 'unknown' });
  });
});

describe('the look-up of a payment whose order or hold does not show the known capture', () => {
  it.each([
    ['its order is gone', missing, { order: orderId, capture }],
    ['its order still looks open', reply(200, orderBody('APPROVED')), { order: orderId, capture }],
    ['its hold is gone', missing, { authorization: '0AW2184448108334S', capture }],
  ])('reads the capture if %s', async (_case, step, upstream) => {
    const { outcome, calls } = await lookUp([step, state()], upstream);
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { upstream } });
    expect(calls[1]).toBe(`GET ${capturePath}`);
    expect((await lookUp([step, missing], upstream)).outcome).toMatchObject({
      kind: step === missing ? 'nothing' : 'open',
    });
  });
});

describe('the cancellation of a payment of which only the capture is known', () => {
  it.each([
    ['COMPLETED', 'already_captured'],
    ['PARTIALLY_REFUNDED', 'already_captured'],
    ['REFUNDED', 'cancelled'],
    ['DECLINED', 'cancelled'],
  ])('reads the capture: %s is %s', async (status, kind) => {
    const { outcome, calls } = await cancel([state({ status })]);
    expect(outcome).toEqual({ kind });
    expect(calls).toEqual([`GET ${capturePath}`]);
    expect((await cancel([missing, state({ status })], { order: orderId, capture })).outcome).toEqual({
      kind,
    });
  });

  it.each([...noAnswers, missing])('%# is in doubt if the capture cannot be read', async (step) => {
    expect((await cancel([step])).outcome).toMatchObject({ kind: 'unknown' });
  });
});

describe('at the simulator', () => {
  let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;
  beforeAll(async () => {
    database = await createSimulatorDatabase();
  });
  afterAll(() => database.drop());

  it('a capture leads to the facts that the charge reported', async () => {
    const simulator = connectSimulator(database.pool);
    const request = newCharge();
    const facts = factsOf(await simulator.charge(request));
    const { capture: id } = facts.upstream;
    if (id === undefined) throw new Error('not captured');
    const question = sampleLookUp({ ...request, upstream: { capture: id } });
    expect(await simulator.port.lookUp(simulator.connection, question)).toEqual({ kind: 'succeeded', facts });
    expect(await simulator.collected(request.paymentId)).toBe(1);
  });
});
