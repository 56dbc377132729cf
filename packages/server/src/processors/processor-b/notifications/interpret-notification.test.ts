import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { connection, disputeBody, fault, orderId, run, sampleRefund } from '../test-kit.ts';

const { paymentId } = sampleCharge();
const { refundId } = sampleRefund();
const interpret = (event_type: string, resource: unknown, steps: readonly Step[] = []) =>
  run(steps, (port) => port.interpretNotification(connection, { id: 'WH-1', event_type, resource }));

describe('interpretNotification, refunds', () => {
  const resource = {
    id: '1JU08902781691411',
    status: 'COMPLETED',
    amount: { currency_code: 'EUR', value: '10.00' },
    custom_id: refundId,
    invoice_id: refundId,
    links: [
      { rel: 'self', href: 'https://api-m.example/v2/payments/refunds/1JU08902781691411' },
      { rel: 'up', href: 'https://api-m.example/v2/payments/captures/3C679366HH908993F' },
    ],
  };
  const settled = {
    kind: 'refund_settled',
    refundId,
    upstreamId: '1JU08902781691411',
    paymentId: null,
    payment: { capture: '3C679366HH908993F' },
    amount: 1000,
    currency: 'EUR',
    outcome: 'succeeded',
  };

  it('a refund succeeded', async () => {
    expect((await interpret('PAYMENT.CAPTURE.REFUNDED', resource)).outcome).toEqual([settled]);
  });

  it.each([
    ['PAYMENT.REFUND.FAILED', 'FAILED', 'refund_failed'],
    ['PAYMENT.REFUND.FAILED', 'PENDING', 'refund_failed'],
    ['PAYMENT.CAPTURE.REFUNDED', 'CANCELLED', 'refund_cancelled'],
  ])('a refund failed: %s %s', async (type, status, code) => {
    const { outcome } = await interpret(type, { ...resource, status });
    expect(outcome).toEqual([{ ...settled, outcome: { code, message: expect.any(String) } }]);
  });

  it('ignored while the refund is pending', async () => {
    const pending = { ...resource, status: 'PENDING' };
    expect((await interpret('PAYMENT.CAPTURE.REFUNDED', pending)).outcome).toEqual([{ kind: 'none' }]);
  });

  it('a refund made elsewhere, by any reference to the payment', async () => {
    const elsewhere = {
      ...resource,
      custom_id: paymentId,
      invoice_id: paymentId,
      links: [],
      supplementary_data: {
        related_ids: { order_id: orderId, authorization_id: 'A1', capture_id: 'C1' },
      },
    };
    expect((await interpret('PAYMENT.CAPTURE.REFUNDED', elsewhere)).outcome).toEqual([
      {
        ...settled,
        refundId: null,
        paymentId,
        payment: { order: orderId, authorization: 'A1', capture: 'C1' },
      },
    ]);
  });

  it.each([
    { amount: undefined },
    { amount: { currency_code: 'EUR', value: 'ten' } },
    { amount: { currency_code: 'EUR', value: '0.00' } },
    { amount: { currency_code: 'XXZ', value: '10.00' } },
    { id: undefined },
    { status: 'NEW' },
  ])('deferred for an unreadable refund: %j', async (changes) => {
    const { outcome } = await interpret('PAYMENT.CAPTURE.REFUNDED', { ...resource, ...changes });
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'malformed notification' });
  });
});

describe('interpretNotification, saved instruments', () => {
  const resource = {
    id: '8kk845',
    customer: { id: '1234567890' },
    metadata: { order_id: orderId },
  };

  it('attaches a token that comes late', async () => {
    expect((await interpret('VAULT.PAYMENT-TOKEN.CREATED', resource)).outcome).toEqual([
      {
        kind: 'instrument_saved',
        paymentId: null,
        payment: { order: orderId },
        saved: { token: '8kk845', upstreamCustomer: '1234567890' },
      },
    ]);
  });

  it.each(['VAULT.PAYMENT-TOKEN.DELETED', 'VAULT.PAYMENT-TOKEN.DELETION-INITIATED'])(
    '%s removes a token',
    async (type) => {
      expect((await interpret(type, resource)).outcome).toEqual([
        { kind: 'instrument_removed', token: '8kk845' },
      ]);
    },
  );
});

describe('interpretNotification, disputes', () => {
  const id = disputeBody().dispute_id;

  it.each(['CUSTOMER.DISPUTE.CREATED', 'CUSTOMER.DISPUTE.UPDATED', 'CUSTOMER.DISPUTE.RESOLVED'])(
    'reads the present state after %s',
    async (type) => {
      const old = disputeBody({ status: 'OPEN' });
      const { outcome, calls } = await interpret(type, old, [reply(200, disputeBody())]);
      expect(calls).toEqual([`GET /v1/customer/disputes/${id}`]);
      expect(outcome).toEqual([
        {
          kind: 'dispute',
          facts: {
            upstreamId: id,
            paymentId,
            payment: { capture: '3C679366HH908993F' },
            amount: 4999,
            currency: 'EUR',
            state: 'chargeback',
            status: 'action_required',
            reason: 'product_not_received',
            networkReasonCode: '13.1',
            respondBy: new Date('2026-12-01T00:00:00Z'),
            raisedAt: new Date('2026-11-20T12:00:00Z'),
            arn: null,
          },
        },
      ]);
    },
  );

  const factsOf = async (changes: object) => {
    const { outcome } = await interpret('CUSTOMER.DISPUTE.UPDATED', { dispute_id: id }, [
      reply(200, disputeBody(changes)),
    ]);
    return Array.isArray(outcome) ? outcome[0].facts : outcome;
  };

  it.each([
    ['INQUIRY', 'information_request'],
    ['CHARGEBACK', 'chargeback'],
    ['PRE_ARBITRATION', 'pre_arbitration'],
    ['ARBITRATION', 'scheme_arbitration'],
    ['NEW', null],
  ])('maps the stage %s to %s', async (dispute_life_cycle_stage, state) => {
    expect(await factsOf({ dispute_life_cycle_stage })).toMatchObject({ state });
  });

  const raisedAgain = 'second_chargeback';
  it.each([
    ['while nothing is decided', 'WAITING_FOR_SELLER_RESPONSE', [], 'chargeback'],
    ['once it is won', 'RESOLVED', ['DENY_BUYER'], 'chargeback'],
    ['raised again after it was won', 'WAITING_FOR_SELLER_RESPONSE', ['DENY_BUYER'], raisedAgain],
    ['lost after it was raised again', 'RESOLVED', ['DENY_BUYER', 'RECOVER_FROM_SELLER'], raisedAgain],
    ['lost', 'RESOLVED', ['RECOVER_FROM_SELLER'], 'chargeback'],
    [
      'raised again after it was recovered',
      'UNDER_REVIEW',
      ['RECOVER_FROM_SELLER', 'PAYOUT_TO_SELLER'],
      raisedAgain,
    ],
    ['recovered', 'RESOLVED', ['RECOVER_FROM_SELLER', 'PAYOUT_TO_SELLER'], 'chargeback'],
    ['whose inquiry was won', 'WAITING_FOR_SELLER_RESPONSE', ['DENY_BUYER INQUIRY'], 'chargeback'],
    ['won like its inquiry', 'RESOLVED', ['DENY_BUYER INQUIRY', 'DENY_BUYER CHARGEBACK'], 'chargeback'],
    ['raised again, by the stage', 'UNDER_REVIEW', ['DENY_BUYER CHARGEBACK'], raisedAgain],
  ])('maps a chargeback %s', async (_when, status, decisions, state) => {
    const adjudications = decisions.map((decision) => {
      const [type, dispute_life_cycle_stage] = decision.split(' ');
      return { type, dispute_life_cycle_stage, adjudication_time: '2026-11-20T12:00:00Z' };
    });
    expect(await factsOf({ dispute_life_cycle_stage: 'CHARGEBACK', status, adjudications })).toMatchObject({
      state,
    });
  });

  it.each([
    ['OPEN', undefined, 'new'],
    ['WAITING_FOR_SELLER_RESPONSE', undefined, 'action_required'],
    ['WAITING_FOR_BUYER_RESPONSE', undefined, 'challenged'],
    ['UNDER_REVIEW', undefined, 'challenged'],
    ['OTHER', undefined, null],
    ['RESOLVED', 'RESOLVED_SELLER_FAVOUR', 'won'],
    ['RESOLVED', 'CANCELED_BY_BUYER', 'won'],
    ['RESOLVED', 'DENIED', 'won'],
    ['RESOLVED', 'RESOLVED_WITH_PAYOUT', 'won'],
    ['RESOLVED', 'RESOLVED_BUYER_FAVOUR', 'lost'],
    ['RESOLVED', 'ACCEPTED', 'accepted'],
    ['RESOLVED', 'NONE', null],
    ['RESOLVED', undefined, null],
  ])('maps the status %s %s to %s', async (status, outcome_code, expected) => {
    expect(await factsOf({ status, dispute_outcome: { outcome_code } })).toMatchObject({
      status: expected,
    });
  });

  it.each([
    ['UNAUTHORISED', 'fraudulent'],
    ['PROBLEM_WITH_REMITTANCE', 'processing_error'],
    ['DUPLICATE_TRANSACTION', 'duplicate'],
    ['PAYMENT_BY_OTHER_MEANS', 'paid_by_other_means'],
    ['INCORRECT_AMOUNT', 'incorrect_amount'],
    ['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'product_unacceptable'],
    ['CANCELED_RECURRING_BILLING', 'subscription_canceled'],
    ['CREDIT_NOT_PROCESSED', 'credit_not_processed'],
    ['OTHER', 'general'],
    ['NEW', null],
  ])('maps the reason %s to %s', async (reason, expected) => {
    expect(await factsOf({ reason })).toMatchObject({ reason: expected });
  });

  it('null for missing fields', async () => {
    const bare = {
      disputed_transactions: [{ invoice_number: paymentId, custom: 'order 7' }],
      dispute_amount: undefined,
      external_reason_code: undefined,
      seller_response_due_date: undefined,
      create_time: 'yesterday',
    };
    expect(await factsOf(bare)).toMatchObject({
      paymentId,
      payment: {},
      amount: null,
      currency: null,
      networkReasonCode: null,
      respondBy: null,
      raisedAt: null,
    });
    expect(await factsOf({ disputed_transactions: undefined })).toMatchObject({ paymentId: null });
  });

  it.each([
    reply(404),
    reply(500),
    fault(403, 'PERMISSION_DENIED'),
    reply(200, 'nonsense'),
    reply(200, disputeBody({ dispute_id: 'PP-2' })),
    new TransportError('timeout'),
  ])('%# deferred where it cannot be read now', async (step) => {
    const { outcome } = await interpret('CUSTOMER.DISPUTE.CREATED', { dispute_id: id }, [step]);
    expect(outcome).toMatchObject({ kind: 'not_executed' });
  });
});
