import { describe, expect, it } from 'vitest';
import { sampleConfirm } from '../../fixtures.ts';
import type { ConfirmRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  authorized,
  captured,
  cardResult,
  connection,
  fault,
  foreignPage,
  link,
  missing,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';

const confirm = (steps: readonly Step[], changes: Partial<ConfirmRequest> = {}) =>
  run(steps, (port) => port.confirm(connection, sampleConfirm({ upstream: { order: orderId }, ...changes })));
const approved = reply(200, orderBody('APPROVED', {}, { links: [link('approve')] }));
const order = `/v2/checkout/orders/${orderId}`;

describe('confirm, an approved order', () => {
  it('is captured under the key of the attempt', async () => {
    const steps = [approved, reply(201, captured())];
    const { outcome, sent, calls, keys } = await confirm(steps, { riskSession: 'fp' });
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { order: orderId, capture: '3C679366HH908993F' } },
    });
    expect(calls).toEqual([`GET ${order}`, `POST ${order}/capture`]);
    expect(keys).toEqual([undefined, 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:f:1']);
    expect(sent[1]?.headers).toMatchObject({
      prefer: 'return=representation',
      'paypal-client-metadata-id': 'fp',
    });
    expect(bodyOf(sent[1])).toEqual({});
  });

  it('is authorized where the capture is manual', async () => {
    const { outcome, calls } = await confirm([approved, reply(201, authorized())], {
      captureMethod: 'manual',
    });
    expect(outcome).toMatchObject({ kind: 'authorized', deadlines: { guaranteedUntil: expect.any(Date) } });
    expect(calls[1]).toBe(`POST ${order}/authorize`);
  });

  it('keeps the order’s card fields', async () => {
    const withCard = reply(200, { ...orderBody('APPROVED'), ...cardResult('Y', 'A', 'POSSIBLE') });
    expect((await confirm([withCard, reply(201, captured())])).outcome).toMatchObject({
      kind: 'succeeded',
      facts: { brand: 'visa', last4: '1111', threeDSecure: { authentication_status: 'A' } },
    });
  });

  it.each([
    ['Y', 'N', 'NO', 'automatic', '3ds_failed'],
    ['Y', 'R', 'NO', 'automatic', '3ds_failed'],
    ['Y', 'U', 'NO', 'automatic', '3ds_not_available'],
    ['Y', undefined, 'NO', 'automatic', '3ds_abandoned'],
    ['U', undefined, 'NO', 'always', '3ds_not_available'],
  ] as const)('is not charged after %s %s %s (%s)', async (enrolled, status, shift, authentication, code) => {
    const answer = { ...orderBody('APPROVED'), ...cardResult(enrolled, status, shift) };
    const { outcome, sent } = await confirm([reply(200, answer)], { authentication });
    expect(outcome).toMatchObject({
      kind: 'declined',
      code,
      facts: { threeDSecure: { liability_shift: shift, enrollment_status: enrolled } },
    });
    expect(sent).toHaveLength(1);
  });

  it('stays pending while the challenge runs', async () => {
    const answer = orderBody(
      'APPROVED',
      {},
      { ...cardResult('Y', 'C', 'UNKNOWN'), links: [link('payer-action')] },
    );
    const { outcome, sent } = await confirm([reply(200, answer)]);
    expect(outcome).toEqual({
      kind: 'not_approved',
      redirectUrl: `https://www.paypal.example/payer-action?token=${orderId}`,
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['INSTRUMENT_DECLINED', 'declined'],
    ['TRANSACTION_REFUSED', 'refused'],
    ['PAYER_ACCOUNT_RESTRICTED', 'restricted_card'],
    ['CARD_EXPIRED', 'expired_card'],
    ['ORDER_EXPIRED', 'declined'],
  ])('is declined: %s → %s', async (issue, code) => {
    const { outcome } = await confirm([approved, fault(422, issue)]);
    expect(outcome).toMatchObject({ kind: 'declined', code, facts: { upstream: { order: orderId } } });
  });

  it.each(['ORDER_NOT_APPROVED', 'PAYER_ACTION_REQUIRED', 'CARD_NUMBER_REQUIRED', 'CARD_EXPIRY_REQUIRED'])(
    'is not approved: %s',
    async (issue) => {
      const links = [link('payer-action', 'https://www.paypal.example/fresh')];
      const fresh = await confirm([approved, fault(422, issue, undefined, { links })]);
      expect(fresh.outcome).toEqual({
        kind: 'not_approved',
        redirectUrl: 'https://www.paypal.example/fresh',
      });
      expect((await confirm([approved, fault(422, issue)])).outcome).toMatchObject({
        redirectUrl: `https://www.paypal.example/approve?token=${orderId}`,
      });
    },
  );

  it('needs the buyer where the capture demands it', async () => {
    const answer = orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link('payer-action')] });
    expect((await confirm([approved, reply(201, answer)])).outcome).toMatchObject({ kind: 'not_approved' });
  });
});

describe('confirm, other states of the order', () => {
  it.each(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED'])('%s is not approved', async (status) => {
    const linked = orderBody(status, {}, { links: [link('approve')] });
    expect((await confirm([reply(200, linked)])).outcome).toEqual({
      kind: 'not_approved',
      redirectUrl: `https://www.paypal.example/approve?token=${orderId}`,
    });
    expect((await confirm([reply(200, orderBody(status))])).outcome).toEqual({
      kind: 'not_approved',
      redirectUrl: null,
    });
  });

  it.each([
    ['Y', 'N', 'NO', { kind: 'declined', code: '3ds_failed' }],
    ['Y', undefined, 'NO', { kind: 'declined', code: '3ds_abandoned' }],
    ['Y', 'C', 'UNKNOWN', { kind: 'not_approved' }],
    [undefined, undefined, 'UNKNOWN', { kind: 'not_approved' }],
  ])('pending after %s %s %s', async (enrolled, status, shift, expected) => {
    const answer = { ...orderBody('PAYER_ACTION_REQUIRED'), ...cardResult(enrolled, status, shift) };
    expect((await confirm([reply(200, answer)])).outcome).toMatchObject(expected);
  });

  it.each([
    ['captured', captured(), { kind: 'succeeded' }],
    ['held', authorized(), { kind: 'authorized' }],
    ['declined', captured({ status: 'DECLINED' }), { kind: 'declined', code: 'declined' }],
    ['released', authorized({ status: 'VOIDED' }), { kind: 'declined', code: 'not_processed' }],
    ['refunded', captured({ status: 'REFUNDED' }), { kind: 'succeeded' }],
    ['voided', orderBody('VOIDED'), { kind: 'declined', code: 'not_processed' }],
  ])('settles one that is %s, without charging', async (_, body, expected) => {
    const { outcome, sent } = await confirm([reply(200, body)]);
    expect(outcome).toMatchObject(expected);
    expect(sent).toHaveLength(1);
  });

  it('fails one that the upstream no longer knows', async () => {
    for (const steps of [[missing], [approved, missing]]) {
      expect((await confirm(steps)).outcome).toMatchObject({
        kind: 'declined',
        code: 'not_processed',
        facts: { upstream: { order: orderId } },
      });
    }
  });

  it('404 without the upstream’s own error does not fail it', async () => {
    expect((await confirm([foreignPage])).outcome).toMatchObject({ kind: 'not_executed' });
    expect((await confirm([approved, foreignPage])).outcome).toMatchObject({ kind: 'unknown' });
  });

  it('not_executed without an order id', async () => {
    const { outcome, sent } = await confirm([approved], { upstream: {} });
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'order unknown' });
    expect(sent).toEqual([]);
  });
});

describe('confirm, faults', () => {
  it.each([
    [reply(401, { error: 'invalid_token' }), 'provider_error'],
    [fault(403, 'PERMISSION_DENIED'), 'provider_error'],
    [reply(500), 'provider_error'],
    [reply(503), 'provider_unavailable'],
    [new TransportError('timeout'), 'provider_unavailable'],
  ])('%# charges nothing where the order cannot be read', async (step, answer) => {
    expect((await confirm([step])).outcome).toMatchObject({ kind: 'not_executed', answer });
  });

  it.each([
    ['another amount', { currency_code: 'EUR', value: '1.00' }, undefined, 'amount differs'],
    ['another payment', undefined, 'pay_2', 'reference differs'],
  ])('does not charge an order of %s', async (_, amount, custom_id, reason) => {
    const answer = { ...orderBody('APPROVED'), purchase_units: [{ amount, custom_id }] };
    const { outcome, sent } = await confirm([reply(200, answer)]);
    expect(outcome).toEqual({ kind: 'unknown', answer: 'provider_error', reason });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [fault(422, 'AUTH_CAPTURE_NOT_ENABLED'), 'not_executed', 'provider_error'],
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(504), 'unknown', 'provider_unavailable'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
    [reply(201, 'nonsense'), 'unknown', 'provider_error'],
    [reply(201, orderBody('APPROVED')), 'unknown', 'provider_error'],
    [reply(201, captured({ status: 'PENDING' })), 'unknown', 'provider_unavailable'],
  ])('%# no definite answer of the capture: %#', async (step, kind, answer) => {
    expect((await confirm([approved, step])).outcome).toMatchObject({ kind, answer });
  });

  it.each(['ORDER_ALREADY_CAPTURED', 'ORDER_ALREADY_AUTHORIZED', 'ORDER_COMPLETED_OR_VOIDED'])(
    'reads the order after %s',
    async (issue) => {
      const settled = await confirm([approved, fault(422, issue), reply(200, captured())]);
      expect(settled.outcome).toMatchObject({ kind: 'succeeded' });
      expect(settled.calls[2]).toBe(`GET ${order}`);
      const voided = await confirm([approved, fault(422, issue), reply(200, orderBody('VOIDED'))]);
      expect(voided.outcome).toMatchObject({ kind: 'declined', code: 'not_processed' });
      const open = await confirm([approved, fault(422, issue), approved]);
      expect(open.outcome).toMatchObject({ kind: 'unknown', reason: 'completion in progress' });
      const lost = await confirm([approved, fault(422, issue), reply(403)]);
      expect(lost.outcome).toMatchObject({ kind: 'unknown' });
    },
  );

  it.each([
    ['PREVIOUS_REQUEST_IN_PROGRESS', 409],
    ['ORDER_COMPLETION_IN_PROGRESS', 422],
    ['DUPLICATE_INVOICE_ID', 422],
  ])('waits and retries after %s', async (issue, status) => {
    const { outcome, keys } = await confirm([approved, fault(status, issue), reply(201, captured())]);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(new Set(keys.slice(1)).size).toBe(1);
  });
});

describe('confirm, access', () => {
  it('renews a refused token once and repeats the request', async () => {
    const { outcome, calls } = await confirm([
      reply(401, { error: 'invalid_token' }),
      reply(200, captured()),
    ]);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(calls).toEqual([`GET ${order}`, `GET ${order}`]);
  });
});
