import { describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../port/refunds.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { connection, fault, inFlight, run } from '../test-kit.ts';
import { refusedLater } from './refund.ts';

const request: RefundRequest = {
  refundId: 're_1',
  paymentId: 'pay_1',
  upstreamKey: 're_1',
  upstream: { psp: 'P/1' },
  amount: 1000,
  currency: 'EUR',
  reason: null,
  note: null,
};
const received = reply(201, { pspReference: 'R1', reference: 're_1', status: 'received' });

const refund = (
  steps: readonly Step[],
  changes: Partial<RefundRequest> = {},
  credentials = connection.credentials,
) => run(steps, (port) => port.refund({ ...connection, credentials }, { ...request, ...changes }));

describe('createProcessorA, refund', () => {
  it('sends it under the refund’s key, and is pending until the notification', async () => {
    const { outcome, sent, keys, observed } = await refund([received]);
    expect(outcome).toEqual({ kind: 'pending', upstreamId: 'R1' });
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://checkout-test.example/v71/payments/P%2F1/refunds',
    });
    expect(bodyOf(sent[0])).toEqual({
      merchantAccount: 'TillTest',
      amount: { currency: 'EUR', value: 1000 },
      reference: 're_1',
    });
    expect(keys).toEqual(['re_1']);
    expect(observed).toMatchObject([{ operation: 'refund', outcome: 'pending', upstreamReference: 'R1' }]);
  });

  it.each([
    ['duplicate', 'DUPLICATE'],
    ['fraudulent', 'FRAUD'],
    ['requested_by_customer', 'CUSTOMER REQUEST'],
    ['other', 'OTHER'],
  ] as const)('maps the reason %s to %s', async (reason, merchantRefundReason) => {
    expect(bodyOf((await refund([received], { reason })).sent[0])).toMatchObject({ merchantRefundReason });
  });

  it('sends the minor units of the upstream', async () => {
    const { sent } = await refund([received], { amount: 50, currency: 'CLP' });
    expect(bodyOf(sent[0]).amount).toEqual({ currency: 'CLP', value: 5000 });
  });

  it.each([
    ['the note of a simulated refund', 'SIM-REFUND-PENDING', 'sandbox', 'SIM-REFUND-PENDING'],
    ['no other note', 'Wrong colour', 'sandbox', undefined],
    ['no note to the upstream itself', 'SIM-REFUND-PENDING', 'key', undefined],
  ])('passes on %s', async (_, note, apiKey, name) => {
    const { sent } = await refund([received], { note }, { ...connection.credentials, apiKey });
    expect(bodyOf(sent[0]).applicationInfo?.merchantApplication.name).toBe(name);
    expect(sent[0]?.body.toString()).not.toContain('Wrong colour');
  });

  it.each([
    ['no reference of the payment', { upstream: {} }, 'reference missing'],
    ['an amount that cannot be expressed', { amount: 50, currency: 'CVE' }, 'amount not supported'],
  ])('sends no request with %s', async (_, changes, reason) => {
    const { outcome, sent } = await refund([received], changes);
    expect(outcome).toEqual({ kind: 'not_executed', answer: 'provider_error', reason });
    expect(sent).toEqual([]);
  });

  it.each([
    [fault(422, '167'), 'refund_not_allowed'],
    [fault(422, '137'), 'refused'],
    [fault(400, '702'), 'refused'],
    [fault(404, '000'), 'refused'],
  ])('%# fails with %s where the upstream refuses it', async (step, code) => {
    const { outcome } = await refund([step]);
    expect(outcome).toMatchObject({ kind: 'failed', upstreamId: 'P1', failure: { code } });
    expect(JSON.stringify(outcome)).not.toContain('4111111111111111');
  });

  it.each([
    [fault(401, '000'), 'not_executed', 'provider_error'],
    [fault(403, '901'), 'not_executed', 'provider_error'],
    [fault(429, '000'), 'not_executed', 'provider_unavailable'],
    [fault(422, '000', { 'transient-error': 'true' }), 'not_executed', 'provider_error'],
    [reply(404, '<html>'), 'unknown', 'provider_error'],
    [inFlight, 'unknown', 'provider_unavailable'],
    [fault(422, '704'), 'unknown', 'provider_unavailable'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(503), 'unknown', 'provider_unavailable'],
    [reply(200, { pspReference: 'R1' }), 'unknown', 'provider_error'],
    [reply(201, {}), 'unknown', 'provider_error'],
    [reply(201, { pspReference: 'R1', reference: 're_2' }), 'unknown', 'provider_error'],
    [
      reply(201, { pspReference: 'R1', amount: { currency: 'EUR', value: 999 } }),
      'unknown',
      'provider_error',
    ],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
  ])('%# is unfinished: %s %s', async (step, kind, answer) => {
    expect((await refund([step])).outcome).toMatchObject({ kind, answer });
  });

  it('retries the same bytes while the first copy is in progress', async () => {
    const { outcome, sent } = await refund([inFlight, received]);
    expect(outcome).toEqual({ kind: 'pending', upstreamId: 'R1' });
    expect(sent[1]?.body).toEqual(sent[0]?.body);
  });
});

describe('refusedLater', () => {
  it.each([
    ['Insufficient balance on payment', 'insufficient_balance'],
    ["Transaction hasn't been captured, refund not possible", 'not_captured'],
    ['Else', 'refused'],
    [null, 'refused'],
  ])('maps %s to %s', (reason, code) => {
    expect(refusedLater(reason).code).toBe(code);
  });
});

/** A refusal that the upstream stored, or made now, under the refund's key. */
const underKey = (pspReference: string, status = 422, key = 're_1') =>
  reply(status, { status, errorCode: '137', pspReference }, { 'idempotency-key': key });
const kept = [underKey('P9'), underKey('P9')];

describe.each([
  ['a repeat', [], { isRepeat: true }],
  ['a request of which an earlier copy was still processed', [inFlight], {}],
] as const)('%s that is refused', (_what, before, changes) => {
  const outcomeOf = async (...steps: Step[]) => (await refund([...before, ...steps], changes)).outcome;

  it('ends the refund where the refusal is what its key did: it comes again with its reference', async () => {
    expect(await outcomeOf(...kept)).toMatchObject({ kind: 'failed', failure: { code: 'refused' } });
  });

  it.each([
    ['another one comes next', [underKey('P8'), underKey('P9')]],
    ['the key is not named', [fault(422, '137')]],
    ['another key is named', [underKey('P9', 422, 're_2')]],
    ['keys are not looked up for it', [underKey('P9', 400)]],
    ['it names the payment, and not itself', [underKey('P/1')]],
    ['it names nothing', [reply(422, { errorCode: '137' }, { 'idempotency-key': 're_1' })]],
    ['nothing comes the second time', [underKey('P9'), new TransportError('timeout')]],
    ['nothing is sent the second time', [underKey('P9'), new TransportError('not_sent')]],
  ])('leaves the refund in doubt where %s', async (_why, steps) => {
    expect(await outcomeOf(...steps)).toMatchObject({ kind: 'unknown' });
  });

  it('is the refund where what its key did comes the second time', async () => {
    expect(await outcomeOf(underKey('P9'), received)).toEqual({ kind: 'pending', upstreamId: 'R1' });
  });
});
