import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import { connection, orderId, run, sampleRefund } from '../test-kit.ts';

const { paymentId } = sampleCharge();
const { refundId } = sampleRefund();
const interpret = (event_type: string, resource: unknown) =>
  run([], (port) => port.interpretNotification(connection, { id: 'WH-1', event_type, resource }));

describe('interpretNotification, payments', () => {
  it.each([
    ['PAYMENT.CAPTURE.COMPLETED', { capture: 'X' }],
    ['PAYMENT.AUTHORIZATION.CREATED', { authorization: 'X' }],
    ['PAYMENT.AUTHORIZATION.VOIDED', { authorization: 'X' }],
  ])('%s triggers a lookup', async (type, payment) => {
    const { outcome, sent } = await interpret(type, { id: 'X', custom_id: paymentId });
    expect(outcome).toEqual([{ kind: 'payment_changed', paymentId, payment }]);
    expect(sent).toEqual([]);
    expect((await interpret(type, { id: 'X', invoice_id: paymentId })).outcome).toEqual(outcome);
  });

  it.each([
    ['PAYMENT.CAPTURE.COMPLETED', { order: orderId, authorization: 'A1', capture: 'X' }],
    ['PAYMENT.AUTHORIZATION.VOIDED', { order: orderId, authorization: 'X', capture: 'C1' }],
  ])('%s returns the ids of its payment', async (type, payment) => {
    const related_ids = { order_id: orderId, authorization_id: 'A1', capture_id: 'C1' };
    const resource = { id: 'X', custom_id: paymentId, supplementary_data: { related_ids } };
    expect((await interpret(type, resource)).outcome).toEqual([
      { kind: 'payment_changed', paymentId, payment },
    ]);
  });

  it.each(['PAYMENT.CAPTURE.DENIED', 'PAYMENT.CAPTURE.DECLINED'])(
    '%s triggers a lookup, and contradicts the capture that it names',
    async (type) => {
      const related_ids = { order_id: orderId, capture_id: 'C1' };
      const resource = { id: 'X', custom_id: paymentId, supplementary_data: { related_ids } };
      const payment = { order: orderId, capture: 'X' };
      expect((await interpret(type, resource)).outcome).toEqual([
        { kind: 'payment_changed', paymentId, payment },
        { kind: 'payment_alert', alert: 'capture_failed', paymentId, payment },
      ]);
    },
  );

  it.each([
    [{ id: 'C1', custom_id: paymentId }, paymentId, {}],
    [
      { id: 'R1', custom_id: paymentId, links: [{ rel: 'up', href: 'https://x/v2/payments/captures/C1' }] },
      paymentId,
      { capture: 'C1' },
    ],
    [{ id: 'C1' }, null, { capture: 'C1' }],
  ])('%# PAYMENT.CAPTURE.REVERSED contradicts the payment', async (resource, id, payment) => {
    expect((await interpret('PAYMENT.CAPTURE.REVERSED', resource)).outcome).toEqual([
      { kind: 'payment_alert', alert: 'capture_reversed', paymentId: id, payment },
    ]);
  });

  it.each([
    [
      { currency_code: 'EUR', value: '20.00' },
      { amount: 2000, currency: 'EUR' },
    ],
    [{ currency_code: 'EUR', value: '-20.00' }, undefined],
    ['20.00', undefined],
  ])('PAYMENT.CAPTURE.REVERSED says what was taken: %j', async (amount, taken) => {
    const resource = { id: 'C1', custom_id: paymentId, amount };
    expect((await interpret('PAYMENT.CAPTURE.REVERSED', resource)).outcome).toEqual([
      { kind: 'payment_alert', alert: 'capture_reversed', paymentId, payment: {}, ...(taken && { taken }) },
    ]);
  });

  it('no ids where the resource has none', async () => {
    const { outcome } = await interpret('PAYMENT.CAPTURE.COMPLETED', { custom_id: paymentId });
    expect(outcome).toEqual([{ kind: 'payment_changed', paymentId, payment: {} }]);
  });

  it.each([
    ['CHECKOUT.ORDER.COMPLETED', { id: orderId }],
    ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', { id: orderId }],
    ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', { order_id: orderId }],
  ])('finds the payment of an order: %s %j', async (type, named) => {
    const resource = { ...named, purchase_units: [{ custom_id: paymentId }] };
    expect((await interpret(type, resource)).outcome).toEqual([
      { kind: 'payment_changed', paymentId, payment: { order: orderId } },
    ]);
  });

  it.each([
    ['CHECKOUT.ORDER.APPROVED', { purchase_units: [{ custom_id: paymentId }] }],
    ['PAYMENT.CAPTURE.PENDING', { custom_id: paymentId }],
    ['PAYMENT.CAPTURE.REVERSED', {}],
    ['PAYMENT.REFUND.PENDING', { id: 'R', custom_id: refundId }],
    ['PAYMENT.CAPTURE.COMPLETED', { custom_id: 'order 7' }],
    ['PAYMENT.CAPTURE.COMPLETED', { custom_id: '../pay_1' }],
    ['PAYMENT.CAPTURE.COMPLETED', null],
    ['VAULT.PAYMENT-TOKEN.CREATED', { id: '8kk845', customer: { id: '1' } }],
    ['VAULT.PAYMENT-TOKEN.DELETED', {}],
    ['CUSTOMER.DISPUTE.CREATED', {}],
    ['RISK.DISPUTE.CREATED', { dispute_id: 'PP-1' }],
    ['SOMETHING.NEW', { custom_id: paymentId }],
  ])('%# ignored: %s %j', async (type, resource) => {
    const { outcome, sent } = await interpret(type, resource);
    expect(outcome).toEqual([{ kind: 'none' }]);
    expect(sent).toEqual([]);
  });

  it.each([null, [], 'event', {}])('ignored: a body that is no event, %j', async (body) => {
    const { outcome } = await run([], (port) => port.interpretNotification(connection, body));
    expect(outcome).toEqual([{ kind: 'none' }]);
  });
});
