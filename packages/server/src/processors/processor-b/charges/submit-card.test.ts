import { describe, expect, it } from 'vitest';
import { sampleSubmit } from '../../fixtures.ts';
import type { SubmitCardRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
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

const submit = (steps: readonly Step[], changes: Partial<SubmitCardRequest> = {}) =>
  run(steps, (port) =>
    port.submitCard(connection, sampleSubmit({ upstream: { order: orderId }, ...changes })),
  );
const berlin = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };

describe('submitCard', () => {
  it('adds the card to the order', async () => {
    const { outcome, sent, calls, keys } = await submit([reply(200, orderBody('APPROVED'))], {
      billingAddress: berlin,
      authentication: 'always',
    });
    expect(outcome).toEqual({ kind: 'approved' });
    expect(calls).toEqual([`POST /v2/checkout/orders/${orderId}/confirm-payment-source`]);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:s:1']);
    expect(bodyOf(sent[0])).toEqual({
      payment_source: {
        card: {
          number: '4111111111111111',
          expiry: '2030-03',
          security_code: '737',
          name: 'Ada Lovelace',
          billing_address: {
            address_line_1: 'Torstraße 12',
            admin_area_2: 'Berlin',
            postal_code: '10119',
            country_code: 'DE',
          },
          attributes: { verification: { method: 'SCA_ALWAYS' } },
          experience_context: {
            return_url: 'https://till.example/checkout/return/t_1',
            cancel_url: 'https://till.example/checkout/return/t_1?cancel=1',
          },
        },
      },
    });
  });

  it('redirects the buyer to the issuer', async () => {
    const answer = orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link('payer-action')] });
    expect((await submit([reply(200, answer)])).outcome).toEqual({
      kind: 'redirect',
      redirectUrl: `https://www.paypal.example/payer-action?token=${orderId}`,
    });
  });

  it.each([
    ['PAYMENT_SOURCE_DECLINED_BY_PROCESSOR', 'declined'],
    ['PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED', 'refused'],
    ['CARD_TYPE_NOT_SUPPORTED', 'restricted_card'],
    ['CARD_EXPIRED', 'expired_card'],
    ['INVALID_SECURITY_CODE_LENGTH', 'invalid_cvv'],
    ['ORDER_EXPIRED', 'declined'],
  ])('%s: %s', async (issue, code) => {
    expect((await submit([fault(422, issue)])).outcome).toEqual({ kind: 'card_refused', code });
  });

  it('refuses a card whose authentication failed', async () => {
    const answer = { ...orderBody('APPROVED'), ...cardResult('Y', 'N', 'NO') };
    expect((await submit([reply(200, answer)])).outcome).toEqual({
      kind: 'card_refused',
      code: '3ds_failed',
    });
  });

  it.each([
    reply(200, orderBody('COMPLETED')),
    fault(422, 'ORDER_ALREADY_CAPTURED'),
    fault(422, 'PAYMENT_ALREADY_APPROVED'),
  ])('%# an order that has its card is left to confirm', async (step) => {
    expect((await submit([step])).outcome).toEqual({ kind: 'approved' });
  });

  it('retries once without a refused billing address', async () => {
    const steps = [fault(422, 'BILLING_ADDRESS_INVALID'), reply(200, orderBody('APPROVED'))];
    const { outcome, sent, keys } = await submit(steps, { billingAddress: berlin });
    expect(outcome).toEqual({ kind: 'approved' });
    expect(bodyOf(sent[1]).payment_source.card).not.toHaveProperty('billing_address');
    expect(keys[1]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:s:1:a');
    expect((await submit(steps)).sent).toHaveLength(1);
  });

  it.each([
    [missing, { kind: 'card_refused', code: 'not_processed' }],
    [foreignPage, { kind: 'unknown', answer: 'provider_error' }],
    [fault(403, 'PERMISSION_DENIED'), { kind: 'not_executed', answer: 'provider_error' }],
    [fault(422, 'ORDER_CANNOT_BE_CONFIRMED'), { kind: 'not_executed', answer: 'provider_error' }],
    [reply(500), { kind: 'unknown', answer: 'provider_error' }],
    [new TransportError('timeout'), { kind: 'unknown', answer: 'provider_unavailable' }],
    [reply(200, orderBody('CREATED')), { kind: 'unknown', reason: 'unexpected order status' }],
    [reply(200, orderBody('PAYER_ACTION_REQUIRED')), { kind: 'unknown', reason: 'approval link missing' }],
    [reply(200, { ...orderBody('APPROVED'), id: 'OTHER' }), { kind: 'unknown', reason: 'malformed answer' }],
    [reply(200, 'nonsense'), { kind: 'unknown', reason: 'malformed answer' }],
  ])('%# any other outcome', async (step, expected) => {
    expect((await submit([step])).outcome).toMatchObject(expected);
  });

  it('not_executed without an order id', async () => {
    expect((await submit([], { upstream: {} })).outcome).toMatchObject({ kind: 'not_executed' });
  });
});
