import { describe, expect, it } from 'vitest';
import { sampleCharge, sampleConfirm, sampleHold } from '../../fixtures.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { captureBody, captured, connection, fault, orderBody, orderId, run } from '../test-kit.ts';

const riskSession = '0123456789abcdef0123456789abcdef';
const withContext = { transactionContext: { sender_popularity_score: 'high' }, riskSession };
const charge = (steps: readonly Step[], changes: Partial<ChargeRequest> = {}, to = connection) =>
  run(steps, (port) => port.charge(to, sampleCharge({ ...withContext, ...changes })));
const done = [reply(200, {}), reply(201, captured())];
const path = `/v1/risk/transaction-contexts/MERCHANT12345/${riskSession}`;

describe('the transaction context', () => {
  it('is sent before the order, with the id of the risk session', async () => {
    const { outcome, calls, sent } = await charge(done);
    expect(outcome.kind).toBe('succeeded');
    expect(calls).toEqual([`PUT ${path}`, 'POST /v2/checkout/orders']);
    expect(bodyOf(sent[0])).toEqual({
      tracking_id: riskSession,
      additional_data: [{ key: 'sender_popularity_score', value: 'high' }],
    });
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-type': 'application/json',
    });
    expect(sent[1]?.headers['paypal-client-metadata-id']).toBe(riskSession);
  });

  it('that is refused keeps nobody from what the first request did: a repeat asks for it without the card', async () => {
    const refused = fault(403, 'PERMISSION_DENIED');
    const repeat = await charge([refused, reply(200, captured())], { isRepeat: true });
    expect(repeat.outcome).toMatchObject({ kind: 'succeeded' });
    expect(bodyOf(repeat.sent[1]).payment_source.card).not.toHaveProperty('number');
    const withheld = { kind: 'withheld', method: 'card', initiator: 'customer' } as const;
    const asked = await charge([reply(200, captured())], { isRepeat: true, instrument: withheld });
    expect(asked.outcome).toMatchObject({ kind: 'succeeded' });
    expect(asked.calls).toEqual(['POST /v2/checkout/orders']);
  });

  it('is completed with the known sender fields', async () => {
    const { sent } = await charge(done, {
      transactionContext: { sender_email: 'other@example.com', sender_phone: '' },
      buyer: {
        id: 'cus_1',
        email: 'ada@example.com',
        name: 'Ada King Lovelace',
        phone: '+442079460958',
        locale: null,
        dateOfBirth: null,
      },
      billingAddress: { postal_code: '10119', country: 'DE' },
    });
    expect(bodyOf(sent[0]).additional_data).toEqual([
      { key: 'sender_account_id', value: 'cus_1' },
      { key: 'sender_first_name', value: 'Ada King' },
      { key: 'sender_last_name', value: 'Lovelace' },
      { key: 'sender_email', value: 'other@example.com' },
      { key: 'sender_address_zip', value: '10119' },
      { key: 'sender_country_code', value: 'DE' },
    ]);
  });

  it('is not sent by default', async () => {
    const { calls } = await charge([reply(201, captured())], { transactionContext: null });
    expect(calls).toEqual(['POST /v2/checkout/orders']);
  });

  it('a session id that fits no header is replaced by its digest in both requests', async () => {
    const { sent } = await charge(done, { riskSession: 'é' });
    const id = sent[1]?.headers['paypal-client-metadata-id'];
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[0]?.url).toMatch(new RegExp(`/${id}$`));
  });

  it.each([
    [fault(422, 'INVALID_PARAMETER_VALUE'), 'provider_error'],
    [fault(403, 'PERMISSION_DENIED'), 'provider_error'],
    [reply(404), 'provider_error'],
    [reply(500), 'provider_error'],
    [reply(503), 'provider_unavailable'],
    [reply(429), 'provider_unavailable'],
    [new TransportError('timeout'), 'provider_unavailable'],
    [new TransportError('dropped'), 'provider_unavailable'],
  ])('%# nothing is charged where it cannot be sent', async (step, answer) => {
    const { outcome, sent } = await charge([step]);
    expect(outcome).toMatchObject({ kind: 'not_executed', answer });
    expect(sent.every((request) => request.method === 'PUT')).toBe(true);
  });

  it('cannot be sent without a merchant id or a risk session', async () => {
    const credentials = { clientId: 'client', clientSecret: 'secret' };
    for (const attempt of [
      charge([], {}, { ...connection, credentials }),
      charge([], { riskSession: null }),
    ]) {
      const { outcome, sent } = await attempt;
      expect(outcome).toMatchObject({ kind: 'not_executed', answer: 'provider_error' });
      expect(sent).toEqual([]);
    }
  });
});

describe('the risk session', () => {
  it('is sent with the completion and with the capture of a hold', async () => {
    const upstream = { order: orderId, authorization: '0AW2184448108334S' };
    const confirmed = await run([reply(200, orderBody('APPROVED')), reply(201, captured())], (port) =>
      port.confirm(connection, sampleConfirm({ upstream, riskSession })),
    );
    expect(confirmed.sent[1]?.headers['paypal-client-metadata-id']).toBe(riskSession);
    const collected = await run([reply(201, captureBody())], (port) =>
      port.capture(connection, sampleHold({ upstream, riskSession })),
    );
    expect(collected.sent[0]?.headers['paypal-client-metadata-id']).toBe(riskSession);
  });
});
