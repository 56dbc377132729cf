import { describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../port/refunds.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  captureBody,
  captured,
  connection,
  fault,
  foreignPage,
  orderBody,
  orderId,
  run,
  sampleRefund,
} from '../test-kit.ts';

const refundId = sampleRefund().refundId;
const upstreamId = '1JU08902781691411';
const refunded = (changes: object = {}) => ({
  id: upstreamId,
  status: 'COMPLETED',
  amount: { currency_code: 'EUR', value: '10.00' },
  custom_id: refundId,
  invoice_id: refundId,
  ...changes,
});
const refund = (steps: readonly Step[], changes: Partial<RefundRequest> = {}) =>
  run(steps, (port) => port.refund(connection, sampleRefund(changes)));
const lookUp = (steps: readonly Step[]) =>
  run(steps, (port) => port.lookUpRefund(connection, { upstreamId, amount: 1000, currency: 'EUR' }));

describe('refund', () => {
  it('sends the amount under the refund’s key', async () => {
    const { outcome, calls, keys, sent } = await refund([reply(201, refunded())], { note: ' Too\nlarge ' });
    expect(outcome).toEqual({ kind: 'succeeded', upstreamId });
    expect(calls).toEqual(['POST /v2/payments/captures/3C679366HH908993F/refund']);
    expect(keys).toEqual([refundId]);
    expect(bodyOf(sent[0])).toEqual({
      amount: { currency_code: 'EUR', value: '10.00' },
      custom_id: refundId,
      invoice_id: refundId,
      note_to_payer: 'Too large',
    });
  });

  it('says nothing where it names another refund', async () => {
    const other = { custom_id: 're_other', invoice_id: 're_other' };
    const { outcome } = await refund([reply(201, refunded(other))]);
    expect(outcome).toEqual({ kind: 'unknown', answer: 'provider_error', reason: 'reference differs' });
    const named = await refund([reply(201, refunded({ ...other, invoice_id: refundId }))]);
    const unnamed = await refund([reply(201, refunded({ custom_id: undefined, invoice_id: undefined }))]);
    const found = await lookUp([reply(200, refunded({ id: '2JU08902781691411' }))]);
    expect([named, unnamed, found].map((one) => one.outcome.kind)).toEqual([
      'succeeded',
      'succeeded',
      'unknown',
    ]);
  });

  it.each([
    [null, undefined],
    ['  ', undefined],
    ['n'.repeat(300), 'n'.repeat(255)],
    ['SIM-REFUND-PENDING', 'SIM-REFUND-PENDING'],
  ])('sends the note %j to the buyer', async (note, expected) => {
    const { sent } = await refund([reply(201, refunded())], { note });
    expect(bodyOf(sent[0]).note_to_payer).toBe(expected);
  });

  it.each([
    ['COMPLETED', { kind: 'succeeded', upstreamId }],
    ['PENDING', { kind: 'pending', upstreamId }],
    ['FAILED', { kind: 'failed', upstreamId, failure: { code: 'refund_failed' } }],
    ['CANCELLED', { kind: 'failed', upstreamId, failure: { code: 'refund_cancelled' } }],
    ['NEW', { kind: 'unknown', answer: 'provider_error' }],
  ])('maps %s', async (status, expected) => {
    expect((await refund([reply(201, refunded({ status }))])).outcome).toMatchObject(expected);
    expect((await lookUp([reply(200, refunded({ status }))])).outcome).toMatchObject(expected);
  });

  it.each([
    'CAPTURE_FULLY_REFUNDED',
    'REFUND_AMOUNT_EXCEEDED',
    'REFUND_FAILED_INSUFFICIENT_FUNDS',
    'REFUND_TIME_LIMIT_EXCEEDED',
    'REFUND_NOT_ALLOWED',
    'PARTIAL_REFUND_NOT_ALLOWED',
    'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK',
    'TRANSACTION_DISPUTED',
    'MAX_NUMBER_OF_REFUNDS_EXCEEDED',
    'REFUND_IS_RESTRICTED',
    'PENDING_CAPTURE',
    'PAYEE_ACCOUNT_RESTRICTED',
    'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
  ])('fails for %s', async (issue) => {
    const { outcome } = await refund([fault(422, issue)]);
    expect(outcome).toEqual({
      kind: 'failed',
      upstreamId: null,
      failure: { code: issue.toLowerCase(), message: expect.stringMatching(/^[A-Z].*\.$/) },
    });
    expect(JSON.stringify(outcome)).not.toContain('4111');
  });

  it('fails with the code for a reason that has no message here', async () => {
    const { outcome } = await refund([fault(422, 'CURRENCY_MISMATCH')]);
    expect(outcome).toEqual({
      kind: 'failed',
      upstreamId: null,
      failure: { code: 'refused', message: 'The processor refused the refund (code CURRENCY_MISMATCH).' },
    });
  });

  it('in doubt where such a refusal follows an earlier request or copy', async () => {
    const refused = fault(422, 'CURRENCY_MISMATCH');
    expect((await refund([refused], { isRepeat: true })).outcome).toMatchObject({ kind: 'not_executed' });
    const steps = [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), fault(422, 'CURRENCY_MISMATCH')];
    expect((await refund(steps)).outcome).toMatchObject({ kind: 'unknown' });
  });

  it('fails for a capture unknown upstream', async () => {
    expect((await refund([fault(404, 'INVALID_RESOURCE_ID')])).outcome).toMatchObject({ kind: 'failed' });
  });

  it.each([
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [foreignPage, 'unknown', 'provider_error'],
    [reply(429), 'not_executed', 'provider_unavailable'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(503), 'unknown', 'provider_unavailable'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
    [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), 'unknown', 'provider_unavailable'],
    [reply(201, {}), 'unknown', 'provider_error'],
    [reply(201, refunded({ amount: { currency_code: 'EUR', value: '1.00' } })), 'unknown', 'provider_error'],
  ])('%# not a definite answer', async (step, kind, answer) => {
    expect((await refund([step])).outcome).toMatchObject({ kind, answer });
  });

  it('retries while an earlier copy is in progress', async () => {
    const steps = [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), reply(201, refunded())];
    const { outcome, keys } = await refund(steps);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(new Set(keys)).toEqual(new Set([refundId]));
  });

  it('finds the capture by the order where its id is not stored', async () => {
    const upstream = { order: orderId };
    const { outcome, calls } = await refund([reply(200, captured()), reply(201, refunded())], { upstream });
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(calls).toEqual([
      `GET /v2/checkout/orders/${orderId}`,
      'POST /v2/payments/captures/3C679366HH908993F/refund',
    ]);
    for (const step of [reply(200, orderBody('COMPLETED')), reply(404), new TransportError('timeout')]) {
      expect((await refund([step], { upstream })).outcome).toMatchObject({ kind: 'not_executed' });
    }
    expect((await refund([], { upstream: {} })).outcome).toMatchObject({ kind: 'not_executed' });
  });

  it('sends no request for an amount that the upstream cannot express', async () => {
    const { outcome, sent } = await refund([], { currency: 'TWD', amount: 150 });
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'amount not supported' });
    expect(sent).toEqual([]);
  });
});

describe('refund, with an id already used upstream', () => {
  const taken = fault(422, 'DUPLICATE_INVOICE_ID');
  const order = (refunds: readonly object[]) =>
    reply(200, orderBody('COMPLETED', { captures: [captureBody()], refunds }));

  it('is the refund that the order shows under it', async () => {
    const other = refunded({ id: 'OTHER', invoice_id: 're_other' });
    const steps = [taken, taken, taken, order([other, refunded({ status: 'PENDING' })])];
    const { outcome, calls } = await refund(steps);
    expect(outcome).toEqual({ kind: 'pending', upstreamId });
    expect(calls[3]).toBe(`GET /v2/checkout/orders/${orderId}`);
  });

  it.each([order([]), reply(404), reply(503), new TransportError('timeout')])(
    '%# in doubt while the order does not show it',
    async (step) => {
      expect((await refund([taken, taken, taken, step])).outcome).toMatchObject({ kind: 'unknown' });
    },
  );

  it('is in doubt without an order to read', async () => {
    const upstream = { capture: '3C679366HH908993F' };
    expect((await refund([taken], { upstream })).outcome).toMatchObject({ kind: 'unknown' });
  });
});

describe('a repeated refund that is refused', () => {
  const order = (refunds: readonly object[]) =>
    reply(200, orderBody('COMPLETED', { captures: [captureBody()], refunds }));
  const repeat = async (issue: string, step: Parameters<typeof refund>[0][number]) =>
    (await refund([fault(422, issue), step], { isRepeat: true })).outcome;

  it.each(['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED', 'INVALID_RESOURCE_ID'])(
    'as %s is the refund that the order shows of the first request',
    async (issue) => {
      expect(await repeat(issue, order([refunded()]))).toEqual({ kind: 'succeeded', upstreamId });
    },
  );

  it('after a copy that was still in progress is the refund that the order shows of that copy', async () => {
    const steps = [fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), fault(422, 'CAPTURE_FULLY_REFUNDED')];
    expect((await refund([...steps, order([refunded()])])).outcome).toEqual({
      kind: 'succeeded',
      upstreamId,
    });
    expect((await refund([...steps, order([])])).outcome).toMatchObject({ kind: 'failed' });
    expect((await refund([...steps, reply(503)])).outcome).toMatchObject({ kind: 'unknown' });
  });

  it('fails where the order shows none of it', async () => {
    const other = refunded({ id: 'OTHER', invoice_id: 're_other' });
    expect(await repeat('CAPTURE_FULLY_REFUNDED', order([other]))).toMatchObject({ kind: 'failed' });
  });

  it.each([reply(404), reply(503), new TransportError('timeout')])(
    '%# is in doubt where the order cannot be read',
    async (step) => {
      expect(await repeat('CAPTURE_FULLY_REFUNDED', step)).toMatchObject({ kind: 'unknown' });
    },
  );
});

describe('lookUpRefund', () => {
  it('reads the refund', async () => {
    const { outcome, calls } = await lookUp([reply(200, refunded())]);
    expect(outcome).toEqual({ kind: 'succeeded', upstreamId });
    expect(calls).toEqual([`GET /v2/payments/refunds/${upstreamId}`]);
  });

  it.each([
    reply(404),
    reply(403),
    reply(500),
    new TransportError('timeout'),
    reply(200, 'nonsense'),
    reply(200, refunded({ amount: { currency_code: 'EUR', value: '1.00' } })),
  ])('%# in doubt', async (step) => {
    expect((await lookUp([step])).outcome).toMatchObject({ kind: 'unknown' });
  });
});
