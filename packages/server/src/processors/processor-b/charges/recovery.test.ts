import { describe, expect, it } from 'vitest';
import { sampleCancel, sampleLookUp } from '../../fixtures.ts';
import type { UpstreamIds } from '../../port/port.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  authorizationBody,
  authorized,
  captured,
  connection,
  fault,
  foreignPage,
  missing,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';

const hold = { order: orderId, authorization: '0AW2184448108334S' };
const holdPath = `/v2/payments/authorizations/${hold.authorization}`;
const orderPath = `/v2/checkout/orders/${orderId}`;
const lookUp = (steps: readonly Step[], upstream: UpstreamIds = { order: orderId }) =>
  run(steps, (port) => port.lookUp(connection, sampleLookUp({ upstream })));
const cancel = (steps: readonly Step[], upstream: UpstreamIds = { order: orderId }) =>
  run(steps, (port) => port.cancel(connection, sampleCancel({ upstream })));
const date = (text: string | null): Date | null => (text === null ? null : new Date(text));
const state = (changes: object) => reply(200, authorizationBody(changes));

describe('lookUp', () => {
  it.each([
    ['CREATED', 'open'],
    ['SAVED', 'open'],
    ['PAYER_ACTION_REQUIRED', 'open'],
    ['APPROVED', 'open'],
    ['VOIDED', 'voided'],
  ])('order %s: %s', async (status, kind) => {
    const { outcome, calls } = await lookUp([reply(200, orderBody(status))]);
    expect(outcome).toEqual({ kind });
    expect(calls).toEqual([`GET ${orderPath}`]);
  });

  it.each([
    [captured(), { kind: 'succeeded', facts: { upstream: { capture: '3C679366HH908993F' } } }],
    [captured({ status: 'DECLINED' }), { kind: 'declined', code: 'declined' }],
    [authorized(), { kind: 'authorized' }],
    [authorized({ status: 'VOIDED' }), { kind: 'voided' }],
    [authorized({ status: 'DENIED' }), { kind: 'declined' }],
    [captured({ status: 'PENDING' }), { kind: 'unknown', answer: 'provider_unavailable' }],
    [orderBody('COMPLETED'), { kind: 'unknown', answer: 'provider_error' }],
  ])('%# reads a captured order', async (body, expected) => {
    expect((await lookUp([reply(200, body)])).outcome).toMatchObject(expected);
  });

  it.each([
    ['CREATED', 'authorized'],
    // The hold has expired, but nothing has reacted to that yet.
    ['EXPIRED', 'authorized'],
    ['VOIDED', 'voided'],
    ['DENIED', 'declined'],
    ['PENDING', 'unknown'],
  ])('hold %s: %s', async (status, kind) => {
    const { outcome, calls } = await lookUp([state({ status })], hold);
    expect(outcome.kind).toBe(kind);
    expect(calls[0]).toBe(`GET ${holdPath}`);
    // A hold that is gone under this id may have been replaced under another.
    expect(calls).toHaveLength(status === 'VOIDED' ? 2 : 1);
  });

  it('finds the capture of a captured hold in its order', async () => {
    const { outcome, calls } = await lookUp([state({ status: 'CAPTURED' }), reply(200, captured())], hold);
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { capture: '3C679366HH908993F' } },
    });
    expect(calls).toEqual([`GET ${holdPath}`, `GET ${orderPath}`]);
  });

  it.each([
    [{}, '2026-11-23T12:00:00Z', '2026-12-19T12:00:00Z'],
    [{ expiration_time: '2026-12-01T00:00:00+01:00' }, '2026-11-23T12:00:00Z', '2026-11-30T23:00:00Z'],
    [{ expiration_time: undefined }, '2026-11-23T12:00:00Z', '2026-12-19T12:00:00Z'],
    [{ create_time: undefined }, null, '2026-12-19T12:00:00Z'],
    [{ create_time: undefined, expiration_time: 'soon' }, null, null],
  ])('reads the deadlines of %j', async (changes, guaranteed, expires) => {
    expect((await lookUp([state(changes)], hold)).outcome).toMatchObject({
      deadlines: { guaranteedUntil: date(guaranteed), expires: date(expires) },
    });
  });

  it('nothing where the upstream no longer knows the order', async () => {
    expect((await lookUp([missing])).outcome).toEqual({ kind: 'nothing' });
    expect((await lookUp([missing], hold)).outcome).toEqual({ kind: 'nothing' });
  });

  it('404 without the upstream’s own error is not a definite answer', async () => {
    const unknown = { kind: 'unknown', answer: 'provider_error', error: { status: 404, code: null } };
    expect((await lookUp([foreignPage])).outcome).toMatchObject(unknown);
    expect((await lookUp([foreignPage], hold)).outcome).toMatchObject(unknown);
  });

  it('unknown without an id', async () => {
    const { outcome, sent } = await lookUp([], {});
    expect(outcome).toEqual({ kind: 'cannot_tell' });
    expect(sent).toEqual([]);
  });

  it.each([
    [reply(403), 'provider_error'],
    [reply(500), 'provider_error'],
    [reply(503), 'provider_unavailable'],
    [new TransportError('not_sent'), 'provider_unavailable'],
    [reply(200, orderBody('NEW')), 'provider_error'],
  ])('%# in doubt', async (step, answer) => {
    expect((await lookUp([step])).outcome).toMatchObject({ kind: 'unknown', answer });
    expect((await lookUp([step], hold)).outcome).toMatchObject({ kind: 'unknown', answer });
  });
});

describe('cancel', () => {
  it('voids the authorization', async () => {
    const { outcome, calls, keys } = await cancel([reply(204, '')], hold);
    expect(outcome).toEqual({ kind: 'cancelled' });
    expect(calls).toEqual([`POST ${holdPath}/void`]);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:x']);
    const tooLate = fault(422, 'PREVIOUSLY_CAPTURED');
    const late = await cancel([tooLate, reply(200, captured())], hold);
    expect(late.outcome).toEqual({ kind: 'already_captured' });
    const over = await cancel([tooLate, reply(200, captured({ status: 'REFUNDED' }))], hold);
    expect(over.outcome).toEqual({ kind: 'cancelled' });
    expect((await cancel([reply(500)], hold)).outcome).toMatchObject({ kind: 'unknown' });
  });

  it.each(['CREATED', 'APPROVED', 'PAYER_ACTION_REQUIRED', 'VOIDED'])(
    'nothing to cancel for an order %s',
    async (status) => {
      const { outcome, calls } = await cancel([reply(200, orderBody(status))]);
      expect(outcome).toEqual({ kind: 'cancelled' });
      expect(calls).toEqual([`GET ${orderPath}`]);
    },
  );

  it('voids the hold of an order that completed unnoticed', async () => {
    const { outcome, calls } = await cancel([reply(200, authorized()), reply(204, '')]);
    expect(outcome).toEqual({ kind: 'cancelled' });
    expect(calls).toEqual([`GET ${orderPath}`, `POST ${holdPath}/void`]);
  });

  it.each([
    [captured(), { kind: 'already_captured' }],
    // It was refunded: there is nothing left to do.
    [captured({ status: 'REFUNDED' }), { kind: 'cancelled' }],
    [captured({ status: 'PARTIALLY_REFUNDED' }), { kind: 'already_captured' }],
    [authorized({ status: 'CAPTURED' }), { kind: 'already_captured' }],
    [captured({ status: 'DECLINED' }), { kind: 'cancelled' }],
    [authorized({ status: 'VOIDED' }), { kind: 'cancelled' }],
    [captured({ status: 'PENDING' }), { kind: 'unknown', reason: 'capture pending' }],
    [orderBody('COMPLETED'), { kind: 'unknown', reason: 'payment missing' }],
  ])('%# reads a captured order', async (body, expected) => {
    expect((await cancel([reply(200, body)])).outcome).toMatchObject(expected);
  });

  it.each([
    [missing, { kind: 'cancelled' }],
    [foreignPage, { kind: 'unknown', answer: 'provider_error' }],
    [reply(403), { kind: 'unknown', answer: 'provider_error' }],
    [reply(503), { kind: 'unknown', answer: 'provider_unavailable' }],
    [new TransportError('timeout'), { kind: 'unknown', answer: 'provider_unavailable' }],
    [reply(200, 'nonsense'), { kind: 'unknown', reason: 'malformed answer' }],
    [
      reply(200, { ...orderBody('CREATED'), purchase_units: [{ custom_id: 'pay_2' }] }),
      { kind: 'unknown', reason: 'reference differs' },
    ],
  ])('%# any other outcome', async (step, expected) => {
    expect((await cancel([step])).outcome).toMatchObject(expected);
  });

  it('unknown without an order id', async () => {
    expect((await cancel([], {})).outcome).toMatchObject({ kind: 'unknown', reason: 'order unknown' });
  });
});
