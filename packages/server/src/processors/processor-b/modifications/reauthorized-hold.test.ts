import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleCancel, sampleHold, sampleLookUp } from '../../fixtures.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  authorizationBody,
  captureBody,
  connection,
  fault,
  missing,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';
import { connectSimulator, createSimulatorDatabase, factsOf, newCharge } from '../test-simulator.ts';

const former = '0AW2184448108334S';
const upstream = { order: orderId, authorization: former };
const next = 'NEWHOLD1';
const orderWith = (...authorizations: object[]) => reply(200, orderBody('COMPLETED', { authorizations }));
const formerBody = authorizationBody({ status: 'VOIDED' });
/** The order after its hold was reauthorized, without and with the former hold. */
const anew = orderWith(authorizationBody({ id: next }));
const both = orderWith(formerBody, authorizationBody({ id: next }));
const collected = reply(200, orderBody('COMPLETED', { captures: [captureBody()] }));
const voided = reply(200, authorizationBody({ status: 'VOIDED' }));

const release = (...steps: readonly Step[]) =>
  run(steps, (port) => port.void(connection, sampleHold({ upstream })));
const cancel = (...steps: readonly Step[]) =>
  run(steps, (port) => port.cancel(connection, sampleCancel({ upstream })));
const capture = (...steps: readonly Step[]) =>
  run(steps, (port) => port.capture(connection, sampleHold({ upstream })));
const lookUp = (...steps: readonly Step[]) =>
  run(steps, (port) => port.lookUp(connection, sampleLookUp({ upstream })));

describe('a hold that was made anew under another id', () => {
  it.each([
    ['missing', missing, anew],
    ['voided', fault(422, 'PREVIOUSLY_VOIDED'), both],
    ['over', fault(422, 'AUTHORIZATION_EXPIRED'), both],
  ])('is voided under that one where the former is %s', async (_case, gone, order) => {
    const { outcome, calls, keys } = await release(gone, order, reply(204, ''));
    expect(outcome).toEqual({ kind: 'voided' });
    expect(calls).toEqual([
      `POST /v2/payments/authorizations/${former}/void`,
      `GET /v2/checkout/orders/${orderId}`,
      `POST /v2/payments/authorizations/${next}/void`,
    ]);
    expect(keys[2]).toBe(`${keys[0]}:${next}`);
    const cancelled = await cancel(gone, order, reply(204, ''));
    expect([cancelled.outcome, cancelled.calls]).toEqual([{ kind: 'cancelled' }, calls]);
  });

  it('is captured under that one, whose id is kept', async () => {
    const { outcome, calls } = await capture(missing, missing, anew, anew, reply(201, captureBody()));
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { order: orderId, authorization: next, capture: '3C679366HH908993F' } },
    });
    expect(calls.at(-1)).toBe(`POST /v2/payments/authorizations/${next}/capture`);
  });

  it.each([
    ['missing', missing, anew],
    ['voided', voided, both],
  ])('is found under that one where the former is %s', async (_case, gone, order) => {
    expect((await lookUp(gone, order)).outcome).toMatchObject({
      kind: 'authorized',
      facts: { upstream: { order: orderId, authorization: next } },
    });
  });

  it('is in doubt where it is pending under that one', async () => {
    const pending = orderWith(formerBody, authorizationBody({ id: next, status: 'PENDING' }));
    expect((await lookUp(voided, pending)).outcome).toMatchObject({ kind: 'unknown' });
  });

  it.each([reply(503), fault(403, 'PERMISSION_DENIED'), new TransportError('timeout')])(
    '%# is in doubt where its order cannot be read',
    async (step) => {
      expect((await release(missing, step)).outcome).toMatchObject({ kind: 'unknown' });
      expect((await cancel(missing, step)).outcome).toMatchObject({ kind: 'unknown' });
      expect((await capture(missing, missing, step)).outcome).toMatchObject({ kind: 'unknown' });
      expect((await lookUp(missing, step)).outcome).toMatchObject({ kind: 'unknown' });
    },
  );
});

describe('a hold that is gone', () => {
  it.each([
    ['nothing else is held', orderWith(formerBody)],
    ['the order is missing too', missing],
  ])('counts as released where %s', async (_case, order) => {
    expect((await release(missing, order)).outcome).toEqual({ kind: 'voided' });
    expect((await cancel(missing, order)).outcome).toEqual({ kind: 'cancelled' });
    expect((await capture(missing, missing, order)).outcome).toEqual({ kind: 'hold_gone' });
    expect((await lookUp(voided, order)).outcome).toEqual({ kind: 'voided' });
    expect((await lookUp(missing, order)).outcome).toEqual({ kind: 'nothing' });
  });

  it('was collected where its order lists a capture', async () => {
    expect((await release(missing, collected)).outcome).toEqual({ kind: 'already_captured' });
    expect((await cancel(missing, collected)).outcome).toEqual({ kind: 'already_captured' });
    expect((await capture(missing, missing, collected)).outcome).toMatchObject({ kind: 'succeeded' });
    expect((await lookUp(voided, collected)).outcome).toMatchObject({ kind: 'succeeded' });
  });
});

describe('at the simulator', () => {
  let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;
  beforeAll(async () => {
    database = await createSimulatorDatabase();
  });
  afterAll(() => database.drop());

  const openHold = async () => {
    const simulator = connectSimulator(database.pool);
    const { port, connection: shop } = simulator;
    const request = newCharge({ instrument: { kind: 'wallet' }, captureMethod: 'manual' });
    const { order = '' } = factsOf(await simulator.charge(request)).upstream;
    await simulator.approve(order);
    const confirm = {
      ...request,
      upstreamKey: `${request.paymentId}:f:0`,
      upstream: { order },
      returned: null,
    };
    const held = await port.confirm(shop, confirm);
    if (held.kind !== 'authorized') throw new Error(held.kind);
    const { authorization = '' } = held.facts.upstream;
    await simulator.deliveredAfter(4 * 24 * 60 * 60 * 1000);
    const id = await simulator.reauthorize(authorization);
    const hold = sampleHold({ paymentId: request.paymentId, upstream: { order, authorization } });
    return { simulator, port, shop, id, hold };
  };

  it('a hold that was made anew is voided', async () => {
    const { simulator, port, shop, hold } = await openHold();
    expect(await port.void(shop, hold)).toEqual({ kind: 'voided' });
    expect((await simulator.ledger()).charges).toMatchObject([{ status: 'voided' }]);
    expect(await port.void(shop, hold)).toEqual({ kind: 'voided' });
  });

  it('a hold that was made anew is captured once', async () => {
    const { simulator, port, shop, id, hold } = await openHold();
    const captured = await port.capture(shop, hold);
    expect(captured).toMatchObject({ kind: 'succeeded', facts: { upstream: { authorization: id } } });
    expect(await port.capture(shop, hold)).toMatchObject({ kind: 'succeeded' });
    expect(await simulator.collected(hold.paymentId)).toBe(1);
  });
});
