import { describe, expect, it } from 'vitest';
import { sampleCancel, sampleCharge, sampleHold, sampleLookUp } from '../fixtures.ts';
import type { ChargeRequest } from '../port/port.ts';
import { bodyOf, reply, type Step } from '../wire/test-transport.ts';
import { TransportError } from '../wire/transport.ts';
import { approved, buyer, connection, fault, inFlight, run, storedCard } from './test-kit.ts';

const berlin = { line1: 'Torstraße', line2: '12', city: 'Berlin', postal_code: '10119', country: 'DE' };

const charge = (
  steps: readonly Step[],
  changes: Partial<ChargeRequest> = {},
  credentials = connection.credentials,
) => run(steps, (port) => port.charge({ ...connection, credentials }, sampleCharge(changes)));

describe('createProcessorA', () => {
  it('posts the payment to /payments under the charge key', async () => {
    const { outcome, sent } = await charge([approved]);
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { upstream: { psp: 'P2' } } });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://checkout-test.example/v71/payments',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:c',
        'x-api-key': 'key',
      },
    });
    expect(JSON.parse(sent[0]?.body.toString() ?? '')).toMatchObject({ merchantAccount: 'TillTest' });
  });

  it.each([
    ['an API key', { merchantAccount: 'TillTest' }],
    ['a merchant account', { apiKey: 'key' }],
  ])('sends no request without %s', async (_, credentials) => {
    const { outcome, sent } = await charge([approved], {}, credentials);
    expect(outcome).toEqual({
      kind: 'not_executed',
      answer: 'provider_error',
      reason: 'credentials missing',
    });
    expect(sent).toEqual([]);
  });

  it('sends no request for an amount that the upstream cannot express', async () => {
    const { outcome, sent } = await charge([approved], { currency: 'CVE', amount: 150 });
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'amount not supported' });
    expect(sent).toEqual([]);
  });

  it.each([
    [422, '101', 'invalid_card'],
    [422, '102', 'invalid_card'],
    [422, '103', 'invalid_cvv'],
    [422, '153', 'invalid_cvv'],
    [422, '129', 'expired_card'],
    [422, '140', 'expired_card'],
    [422, '141', 'expired_card'],
  ])('maps %i/%s to the decline %s', async (status, errorCode, code) => {
    const { outcome } = await charge([fault(status, errorCode)]);
    expect(outcome).toMatchObject({ kind: 'declined', code, facts: { upstream: { psp: 'P1' }, avs: null } });
  });

  it.each([
    [fault(401, '000'), 'not_executed', 'provider_error', 'status 401 code 000'],
    [fault(403, '901'), 'not_executed', 'provider_error', 'status 403 code 901'],
    [fault(400, '702'), 'not_executed', 'provider_error', 'status 400 code 702'],
    [fault(400, '101'), 'not_executed', 'provider_error', 'status 400 code 101'],
    [fault(422, '128'), 'not_executed', 'provider_error', 'status 422 code 128'],
    [fault(422, '14_030'), 'not_executed', 'provider_error', 'status 422 code 14_030'],
    [reply(404, '<html>'), 'unknown', 'provider_error', 'status 404'],
    [reply(400, '{}'), 'unknown', 'provider_error', 'status 400'],
    [reply(403, '<html>'), 'not_executed', 'provider_error', 'status 403'],
    [fault(422, 'Card 4111111111111111'), 'not_executed', 'provider_error', 'status 422'],
    [fault(422, '704'), 'unknown', 'provider_unavailable', 'status 422 code 704'],
    [fault(409, '704'), 'unknown', 'provider_unavailable', 'status 409 code 704'],
    [fault(500, '905'), 'unknown', 'provider_error', 'status 500 code 905'],
    [reply(500, ''), 'unknown', 'provider_error', 'status 500'],
    [reply(502, ''), 'unknown', 'provider_unavailable', 'status 502'],
    [reply(503, ''), 'unknown', 'provider_unavailable', 'status 503'],
    [reply(504, ''), 'unknown', 'provider_unavailable', 'status 504'],
    [reply(307, ''), 'unknown', 'provider_error', 'status 307'],
    [reply(201, {}), 'unknown', 'provider_error', 'status 201'],
    [reply(200, 'nonsense'), 'unknown', 'provider_error', 'malformed answer'],
    [
      reply(200, { resultCode: 'Authorised', merchantReference: 'pay_2' }),
      'unknown',
      'provider_error',
      'reference differs',
    ],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable', 'not_sent'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable', 'timeout'],
    [new TransportError('dropped'), 'unknown', 'provider_unavailable', 'dropped'],
    [new Error('any other fault'), 'unknown', 'provider_unavailable', 'dropped'],
  ])('%# maps a fault to %s %s: %s', async (step, kind, answer, reason) => {
    expect((await charge([step])).outcome).toMatchObject({ kind, answer, reason });
  });
});

describe('createProcessorA, the upstream’s error in a fault', () => {
  it.each([
    [fault(422, '128'), { error: { status: 422, code: '128', param: 'payment_method.holder_name' } }],
    [fault(422, '137'), { error: { status: 422, code: '137', param: 'amount' } }],
    [fault(422, '138'), { error: { status: 422, code: '138', param: 'currency' } }],
    [fault(400, '138'), { error: { status: 400, code: '138' } }],
    [fault(422, '14_018'), { error: { status: 422, code: '14_018' } }],
    [fault(422, 'Card 4111111111111111'), { error: { status: 422, code: null } }],
    [reply(404, '<html>'), { error: { status: 404, code: null } }],
    [new TransportError('timeout'), { transport: 'timeout' }],
  ])('%# has status, code and field', async (step, shown) => {
    const {
      kind: _kind,
      answer: _answer,
      reason: _reason,
      ...rest
    } = (await charge([step])).outcome as unknown as Record<string, unknown>;
    expect(rest).toEqual(shown);
  });

  it('names no field of a typed card where a stored one is charged', async () => {
    expect((await charge([fault(422, '128')], { instrument: storedCard(), buyer })).outcome).toMatchObject({
      kind: 'not_executed',
      error: { status: 422, code: '128' },
    });
  });
});

describe('createProcessorA, a refused address', () => {
  const addresses = { billingAddress: berlin, deliveryAddress: berlin };

  it.each(['104', '131', '132', '133', '134', '135', '136'])('%s: retried once without it', async (code) => {
    const { outcome, sent, keys } = await charge([fault(422, code), approved], addresses);
    expect(outcome.kind).toBe('succeeded');
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c', 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:a']);
    expect(JSON.parse(sent[0]?.body.toString() ?? '')).toMatchObject({ billingAddress: { city: 'Berlin' } });
    const repeat = JSON.parse(sent[1]?.body.toString() ?? '');
    for (const field of ['billingAddress', 'deliveryAddress', 'countryCode']) {
      expect(repeat).not.toHaveProperty(field);
    }
  });

  it('is not retried twice', async () => {
    const { outcome, sent } = await charge([fault(422, '131')], addresses);
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'status 422 code 131' });
    expect(sent).toHaveLength(2);
  });

  it('the retry’s key has at most 64 characters, is stable and distinct', async () => {
    const runs = ['1', '1', '2'].map((end) =>
      charge([fault(422, '131'), approved], { ...addresses, upstreamKey: 'k'.repeat(63) + end }),
    );
    const [one, same, other] = (await Promise.all(runs)).map(({ keys }) => keys[1]);
    expect(one).toHaveLength(64);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });
});

describe('createProcessorA, a request with the same key in progress', () => {
  it('retries the same bytes under the same key until the first copy is answered', async () => {
    const { outcome, sent, keys, delays } = await charge([inFlight, inFlight, approved]);
    expect(outcome.kind).toBe('succeeded');
    expect(new Set(keys)).toEqual(new Set(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c']));
    expect(new Set(sent.map((request) => request.body.toString())).size).toBe(1);
    expect(delays).toHaveLength(2);
  });

  it('unknown after three requests without a definite answer', async () => {
    const { outcome, sent } = await charge([inFlight]);
    expect(outcome).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
    expect(sent).toHaveLength(3);
  });

  it.each([
    ['the repeat cannot be sent', new TransportError('not_sent')],
    ['the repeat is rejected', fault(403, '901')],
  ])('stays unknown where %s', async (_, step) => {
    expect((await charge([inFlight, step])).outcome.kind).toBe('unknown');
  });

  it('unknown where a copy without address cannot be sent after it', async () => {
    const steps = [inFlight, fault(422, '131'), new TransportError('not_sent')];
    expect((await charge(steps, { billingAddress: berlin })).outcome.kind).toBe('unknown');
  });
});

describe('createProcessorA, observation', () => {
  it('counts every charge once, with its last answer', async () => {
    const { observed } = await charge([inFlight, approved]);
    expect(observed).toEqual([
      { operation: 'charge', outcome: 'succeeded', durationMs: 20, status: 200, upstreamReference: 'P2' },
    ]);
  });

  it('counts a charge without an answer', async () => {
    expect((await charge([new TransportError('timeout')])).observed).toEqual([
      { operation: 'charge', outcome: 'unknown', durationMs: 10 },
    ]);
  });
});

describe('createProcessorA, recovery', () => {
  it('reverses by the upstream reference where it is known, else cancels by our reference', async () => {
    const received = reply(201, { status: 'received' });
    const known = await run([received], (port) =>
      port.cancel(connection, sampleCancel({ upstream: { psp: 'P/1' } })),
    );
    expect(known.outcome).toEqual({ kind: 'accepted' });
    expect(known.sent[0]?.url).toBe('https://checkout-test.example/v71/payments/P%2F1/reversals');
    const { paymentId } = sampleCharge();
    expect(bodyOf(known.sent[0])).toEqual({ merchantAccount: 'TillTest', reference: paymentId });
    expect(known.keys).toEqual([`${paymentId}:x:P/1`]);

    const unnamed = await run([received], (port) => port.cancel(connection, sampleCancel()));
    expect(unnamed.outcome).toEqual({ kind: 'accepted' });
    expect(unnamed.sent[0]?.url).toBe('https://checkout-test.example/v71/cancels');
    expect(bodyOf(unnamed.sent[0])).toMatchObject({ paymentReference: paymentId });
    expect(unnamed.keys).toEqual([`${paymentId}:x`]);
  });

  it.each([
    [fault(422, '101'), 'not_executed', 'provider_error'],
    [inFlight, 'unknown', 'provider_unavailable'],
    [reply(502), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
  ])('%# an unfinished cancellation: %s %s', async (step, kind, answer) => {
    const { outcome } = await run([step], (port) => port.cancel(connection, sampleCancel()));
    expect(outcome).toMatchObject({ kind, answer });
  });

  it('has no lookup of payments', async () => {
    const question = sampleLookUp({ upstream: { psp: 'P1' } });
    const { outcome, sent } = await run([approved], (port) => port.lookUp(connection, question));
    expect(outcome).toEqual({ kind: 'cannot_tell' });
    expect(sent).toEqual([]);
  });

  it('throws for holds, which it does not support', async () => {
    await expect(run([], (port) => port.capture(connection, sampleHold()))).rejects.toThrow('holds');
    await expect(run([], (port) => port.void(connection, sampleHold()))).rejects.toThrow('holds');
  });
});
