import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import {
  authorized,
  captureBody,
  captured,
  cardResult,
  connection,
  fault,
  link,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';

const charge = (steps: readonly Step[], changes: Partial<ChargeRequest> = {}) =>
  run(steps, (port) => port.charge(connection, sampleCharge(changes)));
const wallet = { instrument: { kind: 'wallet' } } as const;
const cardFields = { instrument: { kind: 'card_fields' } } as const;

describe('charge', () => {
  it('creates the order under the charge key', async () => {
    const { sent, keys, calls } = await charge([reply(201, captured())], { riskSession: 'fp' });
    expect(calls).toEqual(['POST /v2/checkout/orders']);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c']);
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-type': 'application/json',
      prefer: 'return=representation',
      'paypal-client-metadata-id': 'fp',
    });
    expect(bodyOf(sent[0])).toMatchObject({ intent: 'CAPTURE' });
  });

  it('reads the fields of a captured card', async () => {
    const answer = {
      ...captured({
        processor_response: { avs_code: 'Y', cvv_code: 'M', response_code: '0000' },
        network_transaction_reference: { id: '123456789012345' },
      }),
      ...cardResult('Y', 'Y', 'POSSIBLE'),
    };
    expect((await charge([reply(201, answer)])).outcome).toEqual({
      kind: 'succeeded',
      facts: {
        upstream: { order: orderId, capture: '3C679366HH908993F' },
        brand: 'visa',
        bin: null,
        last4: '1111',
        expMonth: 3,
        expYear: 2030,
        threeDSecure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
        avs: { code: 'Y', address: 'match', postal_code: 'match', cvc: 'match' },
        networkTransactionReference: '123456789012345',
        saved: null,
      },
    });
  });

  it('authorizes a hold', async () => {
    const { outcome } = await charge([reply(201, authorized())], { captureMethod: 'manual' });
    expect(outcome).toMatchObject({
      kind: 'authorized',
      facts: { upstream: { order: orderId, authorization: '0AW2184448108334S' } },
      deadlines: {
        guaranteedUntil: new Date('2026-11-23T12:00:00Z'),
        expires: new Date('2026-12-19T12:00:00Z'),
      },
    });
  });

  it('sends no request without credentials, or for an amount that the upstream cannot express', async () => {
    const bare = await run([], (port) =>
      port.charge({ ...connection, credentials: { clientId: 'client' } }, sampleCharge()),
    );
    expect(bare.outcome).toMatchObject({ kind: 'not_executed', reason: 'credentials missing' });
    const { outcome, sent } = await charge([], { currency: 'TWD', amount: 150 });
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'amount not supported' });
    expect(sent).toEqual([]);
  });

  it('counts every charge once, with its last answer', async () => {
    const answer = reply(201, captured(), { 'paypal-debug-id': 'd7' });
    expect((await charge([answer])).observed).toEqual([
      {
        operation: 'charge',
        outcome: 'succeeded',
        durationMs: 10,
        status: 201,
        upstreamReference: orderId,
        debugId: 'd7',
      },
    ]);
  });
});

describe('charge, the buyer’s next action', () => {
  it.each([
    ['payer-action', 'PAYER_ACTION_REQUIRED', {}, 'processor_b_payer_action'],
    ['payer-action', 'PAYER_ACTION_REQUIRED', wallet, 'processor_b_wallet'],
    ['approve', 'CREATED', wallet, 'processor_b_wallet'],
  ] as const)('%s for an order %s', async (rel, status, changes, action) => {
    const answer = orderBody(status, {}, { links: [link('self'), link(rel)] });
    expect((await charge([reply(201, answer)], changes)).outcome).toMatchObject({
      kind: 'requires_action',
      action,
      redirectUrl: `https://www.paypal.example/${rel}?token=${orderId}`,
      facts: { upstream: { order: orderId } },
    });
  });

  it.each([
    ['a wallet', wallet, [link('self')]],
    ['a card', {}, []],
    ['a link that is no page', wallet, [link('approve', 'javascript:alert(1)')]],
  ])('no redirect for %s', async (_, changes, links) => {
    const answer = orderBody('PAYER_ACTION_REQUIRED', {}, { links });
    expect((await charge([reply(201, answer)], changes)).outcome).toMatchObject({
      kind: 'missing_approval_url',
      facts: { upstream: { order: orderId } },
    });
  });

  it.each(['CREATED', 'PAYER_ACTION_REQUIRED'])('card fields continue on our page: %s', async (status) => {
    const answer = orderBody(status, {}, { links: [link('approve')] });
    expect((await charge([reply(201, answer)], cardFields)).outcome).toMatchObject({
      kind: 'requires_action',
      action: 'processor_b_card_fields',
      redirectUrl: null,
    });
  });

  it('captures an approved wallet order only on request', async () => {
    const { outcome, sent } = await charge([reply(200, orderBody('APPROVED'))], wallet);
    expect(outcome).toMatchObject({ kind: 'requires_action', redirectUrl: null });
    expect(sent).toHaveLength(1);
  });

  it('continues with a card that needs no authentication', async () => {
    const approved = { ...orderBody('APPROVED'), ...cardResult('Y', 'Y', 'POSSIBLE') };
    const { outcome, calls, keys } = await charge([reply(201, approved), reply(201, captured())]);
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { brand: 'visa', last4: '1111' } });
    expect(calls[1]).toBe(`POST /v2/checkout/orders/${orderId}/capture`);
    expect(keys[1]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:f');
  });

  it.each([
    ['APPROVED', 'Y', 'U', 'UNKNOWN', '3ds_not_available'],
    ['PAYER_ACTION_REQUIRED', 'Y', 'N', 'NO', '3ds_failed'],
    ['CREATED', 'Y', 'R', 'NO', '3ds_failed'],
  ])(
    'charges nothing after a failed authentication: %s %s %s',
    async (status, enrolled, result, shift, code) => {
      const answer = { ...orderBody(status), ...cardResult(enrolled, result, shift) };
      const { outcome, sent } = await charge([reply(201, answer)]);
      expect(outcome).toMatchObject({ kind: 'declined', code, facts: { upstream: { order: orderId } } });
      expect(sent).toHaveLength(1);
    },
  );
});

describe('charge, declines', () => {
  it.each([
    ['DECLINED', { response_code: '5120' }, 'insufficient_funds'],
    ['FAILED', { response_code: '0500' }, 'do_not_honor'],
    ['DECLINED', {}, 'declined'],
    ['DECLINED', { response_code: '0000' }, 'declined'],
  ])('capture %s %j: %s', async (status, processor_response, code) => {
    const { outcome } = await charge([reply(201, captured({ status, processor_response }))]);
    expect(outcome).toMatchObject({
      kind: 'declined',
      code,
      facts: { upstream: { order: orderId, capture: '3C679366HH908993F' } },
    });
  });

  it('failed authentication where the issuer gives no better reason', async () => {
    const decline = (response_code: string) => ({
      ...captured({ status: 'DECLINED', processor_response: { response_code } }),
      ...cardResult('Y', 'N', 'NO'),
    });
    expect((await charge([reply(201, decline('5100'))])).outcome).toMatchObject({ code: '3ds_failed' });
    expect((await charge([reply(201, decline('5400'))])).outcome).toMatchObject({ code: 'expired_card' });
  });

  it('declined by the risk filters', async () => {
    const status_details = { reason: 'DECLINED_BY_RISK_FRAUD_FILTERS' };
    const { outcome } = await charge([reply(201, captured({ status: 'PENDING', status_details }))]);
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
  });

  it('finds the successful capture at any position', async () => {
    const captures = [captureBody({ id: 'A', status: 'DECLINED' }), captureBody({ id: 'B' })];
    const { outcome } = await charge([reply(201, orderBody('COMPLETED', { captures }))]);
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { upstream: { capture: 'B' } } });
  });

  it.each([
    ['INSTRUMENT_DECLINED', 'declined'],
    ['PAYMENT_SOURCE_DECLINED_BY_PROCESSOR', 'declined'],
    ['ALIAS_DECLINED_BY_PROCESSOR', 'declined'],
    ['TRANSACTION_LIMIT_EXCEEDED', 'declined'],
    ['PAYMENT_SOURCE_CANNOT_BE_USED', 'refused'],
    ['TRANSACTION_REFUSED', 'refused'],
    ['COMPLIANCE_VIOLATION', 'refused'],
    ['PAYER_CANNOT_PAY', 'restricted_card'],
    ['CARD_BRAND_NOT_SUPPORTED', 'restricted_card'],
    ['CARD_EXPIRED', 'expired_card'],
    ['INVALID_EXPIRY_DATE', 'expired_card'],
    ['INVALID_SECURITY_CODE_LENGTH', 'invalid_cvv'],
  ])('issue %s: %s', async (issue, code) => {
    const { outcome } = await charge([fault(422, issue)]);
    expect(outcome).toMatchObject({ kind: 'declined', code, facts: { upstream: {}, brand: null } });
  });

  it.each(['INVALID_PARAMETER_VALUE', 'INVALID_PARAMETER_SYNTAX', 'INVALID_STRING_LENGTH'])(
    '%s of the card number is a bad card',
    async (issue) => {
      const { outcome } = await charge([fault(400, issue, '/payment_source/card/number')]);
      expect(outcome).toMatchObject({ kind: 'declined', code: 'invalid_card' });
    },
  );
});
