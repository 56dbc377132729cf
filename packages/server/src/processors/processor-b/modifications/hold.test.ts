import { describe, expect, it } from 'vitest';
import { sampleHold } from '../../fixtures.ts';
import type { HoldRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  authorizationBody,
  captureBody,
  captured,
  connection,
  fault,
  foreignPage,
  missing,
  orderId,
  run,
} from '../test-kit.ts';

const upstream = { order: orderId, authorization: '0AW2184448108334S' };
const path = `/v2/payments/authorizations/${upstream.authorization}`;
const capture = (steps: readonly Step[], changes: Partial<HoldRequest> = {}) =>
  run(steps, (port) => port.capture(connection, sampleHold({ upstream, ...changes })));
const release = (steps: readonly Step[], changes: Partial<HoldRequest> = {}) =>
  run(steps, (port) => port.void(connection, sampleHold({ upstream, ...changes })));
const state = (status: string) => reply(200, authorizationBody({ status }));

describe('capture', () => {
  it('captures the full amount', async () => {
    const { outcome, sent, calls, keys } = await capture([reply(201, captureBody())], {
      statementDescriptor: 'Acme',
    });
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { ...upstream, capture: '3C679366HH908993F' } },
    });
    expect(calls).toEqual([`POST ${path}/capture`]);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:k']);
    expect(bodyOf(sent[0])).toEqual({
      amount: { currency_code: 'EUR', value: '49.99' },
      final_capture: true,
      soft_descriptor: 'Acme',
    });
  });

  it.each([
    ['a declined capture', reply(201, captureBody({ status: 'DECLINED' })), 'declined'],
    [
      "the issuer's reason",
      reply(201, captureBody({ status: 'DECLINED', processor_response: { response_code: '5120' } })),
      'insufficient_funds',
    ],
    ['an issue', fault(422, 'TRANSACTION_REFUSED'), 'refused'],
    ['an issue of the buyer', fault(422, 'PAYER_CANNOT_PAY'), 'restricted_card'],
  ])('is declined: %s', async (_, step, code) => {
    expect((await capture([step])).outcome).toMatchObject({
      kind: 'declined',
      code,
      facts: { upstream },
    });
  });

  it.each([
    fault(422, 'AUTHORIZATION_EXPIRED'),
    fault(422, 'AUTHORIZATION_VOIDED'),
    fault(422, 'AUTHORIZATION_DENIED'),
    fault(404, 'INVALID_RESOURCE_ID'),
    missing,
  ])('%# the hold is gone', async (step) => {
    expect((await capture([step, missing])).outcome).toEqual({ kind: 'hold_gone' });
  });

  it('returns the capture of an earlier request', async () => {
    const already = fault(422, 'AUTHORIZATION_ALREADY_CAPTURED');
    const { outcome, calls } = await capture([already, state('CAPTURED'), reply(200, captured())]);
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { order: orderId, capture: '3C679366HH908993F' } },
    });
    expect(calls.slice(1)).toEqual([`GET ${path}`, `GET /v2/checkout/orders/${orderId}`]);
    const alone = { upstream: { authorization: upstream.authorization } };
    expect((await capture([already, state('CAPTURED')], alone)).outcome).toMatchObject({ kind: 'succeeded' });
    expect((await capture([already, state('CREATED')])).outcome).toMatchObject({ kind: 'unknown' });
    expect((await capture([already, reply(403)])).outcome).toMatchObject({ kind: 'unknown' });
  });

  it.each(['PAYER_ACCOUNT_RESTRICTED', 'AUTHORIZATION_VOIDED'])(
    'refused as %s has succeeded where an earlier request collected the hold, and is in doubt where nobody can say',
    async (issue) => {
      const refused = fault(422, issue);
      const order = reply(200, captured());
      const collected = await capture([refused, state('CAPTURED'), order]);
      expect(collected.outcome).toMatchObject({ kind: 'succeeded' });
      expect((await capture([refused, state('CREATED')])).outcome.kind).toMatch(/^(declined|hold_gone)$/);
      for (const step of [reply(503), new TransportError('timeout')]) {
        expect((await capture([refused, step])).outcome).toMatchObject({ kind: 'unknown' });
      }
    },
  );

  it('retries while an earlier copy is in progress', async () => {
    const steps = [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), reply(201, captureBody())];
    expect((await capture(steps)).outcome).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [fault(422, 'MAX_CAPTURE_AMOUNT_EXCEEDED'), 'not_executed', 'provider_error'],
    [foreignPage, 'unknown', 'provider_error'],
    [reply(500), 'unknown', 'provider_error'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [reply(201, captureBody({ status: 'PENDING' })), 'unknown', 'provider_unavailable'],
    [
      reply(201, captureBody({ amount: { currency_code: 'EUR', value: '1.00' } })),
      'unknown',
      'provider_error',
    ],
    [reply(201, 'nonsense'), 'unknown', 'provider_error'],
  ])('%# not a definite answer', async (step, kind, answer) => {
    expect((await capture([step])).outcome).toMatchObject({ kind, answer });
  });

  it('not_executed without an authorization', async () => {
    const { outcome, sent } = await capture([], { upstream: { order: orderId } });
    expect(outcome).toMatchObject({ kind: 'not_executed' });
    expect(sent).toEqual([]);
  });
});

describe('void', () => {
  it('releases the hold', async () => {
    const { outcome, calls, keys } = await release([reply(200, authorizationBody({ status: 'VOIDED' }))]);
    expect(outcome).toEqual({ kind: 'voided' });
    expect(calls).toEqual([`POST ${path}/void`]);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:k']);
    expect((await release([reply(204, '')])).outcome).toEqual({ kind: 'voided' });
  });

  it.each([
    fault(422, 'PREVIOUSLY_VOIDED'),
    fault(422, 'AUTHORIZATION_EXPIRED'),
    fault(404, 'INVALID_RESOURCE_ID'),
    missing,
  ])('%# a hold that is over counts as released', async (step) => {
    const { outcome, calls } = await release([step, missing]);
    expect(outcome).toEqual({ kind: 'voided' });
    expect(calls.slice(1)).toEqual([`GET /v2/checkout/orders/${orderId}`]);
  });

  it.each(['PREVIOUSLY_CAPTURED', 'AUTHORIZATION_ALREADY_CAPTURED'])('too late: %s', async (issue) => {
    expect((await release([fault(422, issue)])).outcome).toEqual({ kind: 'already_captured' });
  });

  it.each([
    [state('EXPIRED'), { kind: 'voided' }],
    [state('VOIDED'), { kind: 'voided' }],
    [missing, { kind: 'voided' }],
    [foreignPage, { kind: 'not_executed', answer: 'provider_error' }],
    [state('CAPTURED'), { kind: 'already_captured' }],
    [state('CREATED'), { kind: 'not_executed', reason: 'status 422 CANNOT_BE_VOIDED' }],
    [reply(503), { kind: 'not_executed', answer: 'provider_unavailable' }],
    [new TransportError('timeout'), { kind: 'not_executed', answer: 'provider_unavailable' }],
  ])('%# reads the authorization where the issue is ambiguous', async (step, expected) => {
    const { outcome, calls } = await release([fault(422, 'CANNOT_BE_VOIDED'), step, missing]);
    expect(outcome).toMatchObject(expected);
    expect(calls[1]).toBe(`GET ${path}`);
  });

  it.each([
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [foreignPage, 'unknown', 'provider_error'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(200, authorizationBody({ status: 'CREATED' })), 'unknown', 'provider_error'],
    [new TransportError('dropped'), 'unknown', 'provider_unavailable'],
    [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), 'unknown', 'provider_unavailable'],
  ])('%# not a definite answer', async (step, kind, answer) => {
    expect((await release([step])).outcome).toMatchObject({ kind, answer });
  });

  it('not_executed without an authorization', async () => {
    expect((await release([], { upstream: {} })).outcome).toMatchObject({ kind: 'not_executed' });
  });
});
