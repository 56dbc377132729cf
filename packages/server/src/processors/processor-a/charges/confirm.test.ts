import { describe, expect, it } from 'vitest';
import { sampleCharge, sampleConfirm } from '../../fixtures.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { approved, connection, fault, inFlight, run } from '../test-kit.ts';

describe('createProcessorA, confirm', () => {
  const confirm = (steps: readonly Step[], ...returned: Record<string, string>[]) =>
    run(steps, (port) => port.confirm(connection, sampleConfirm({ returned })));
  const named = { merchantReference: sampleCharge().paymentId, pspReference: 'P2' };

  it.each([[], [{}], [{ redirectResult: '' }]])(
    'sends no request where the browser returned %j',
    async (...returned) => {
      const { outcome, sent } = await confirm([approved], ...returned);
      expect(outcome).toEqual({ kind: 'not_approved', redirectUrl: null });
      expect(sent).toEqual([]);
    },
  );

  it('posts the browser’s result under the key of the attempt', async () => {
    const steps = [inFlight, reply(200, { ...named, resultCode: 'Authorised' })];
    const { outcome, sent, keys } = await confirm(steps, { redirectResult: 'opaque', extra: 'x' });
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { upstream: { psp: 'P2' } } });
    expect(sent[1]?.url).toBe('https://checkout-test.example/v71/payments/details');
    expect(bodyOf(sent[1])).toEqual({ details: { redirectResult: 'opaque' } });
    expect(keys[1]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:f:1');
  });

  it('not approved where the upstream refuses the browser’s result', async () => {
    const { outcome } = await confirm([fault(422, '14_018')], { redirectResult: 'forged' });
    expect(outcome).toEqual({ kind: 'not_approved', redirectUrl: null, refused: true });
  });

  describe('of several results of the browser', () => {
    const [newer, former] = [{ redirectResult: 'newer' }, { redirectResult: 'former' }];
    const refusal = fault(422, '14_018');
    const authorised = reply(200, { ...named, resultCode: 'Authorised' });

    it('posts the former where the newer is refused, under a key of its own', async () => {
      const { outcome, sent, keys } = await confirm([refusal, authorised], newer, former);
      expect(outcome).toMatchObject({ kind: 'succeeded' });
      expect(sent.map(bodyOf)).toEqual([{ details: newer }, { details: former }]);
      expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:f:1', 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:f:1:1']);
    });

    it('posts the former where the newer completes another payment', async () => {
      const other = reply(200, { resultCode: 'Authorised', merchantReference: 'pay_2', pspReference: 'P3' });
      const { outcome, sent } = await confirm([other, authorised], newer, former);
      expect(outcome).toMatchObject({ kind: 'succeeded', facts: { upstream: { psp: 'P2' } } });
      expect(sent).toHaveLength(2);
    });

    it('not approved where the upstream refuses each', async () => {
      const { outcome, sent } = await confirm([refusal, refusal], newer, former);
      expect(outcome).toEqual({ kind: 'not_approved', redirectUrl: null, refused: true });
      expect(sent).toHaveLength(2);
    });

    it.each([
      ['an authorisation', [authorised], 'succeeded'],
      ['a decline', [reply(200, { ...named, resultCode: 'Refused', refusalReasonCode: '2' })], 'declined'],
      ['no answer', [new TransportError('timeout')], 'unknown'],
      ['a refusal that follows a copy in progress', [inFlight, refusal], 'unknown'],
    ] as const)('posts the newer only after %s', async (_what, steps, kind) => {
      const { outcome, sent } = await confirm(steps, newer, former);
      expect(outcome).toMatchObject({ kind });
      expect(sent.map(bodyOf)).toEqual(steps.map(() => ({ details: newer })));
    });
  });

  it('in doubt where the refusal follows a copy in progress', async () => {
    const { outcome } = await confirm([inFlight, fault(422, '14_018')], { redirectResult: 'r' });
    expect(outcome).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    [fault(401, '000'), 'not_executed', 'provider_error'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(503), 'unknown', 'provider_unavailable'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
  ])('%# maps a fault to %s %s', async (step, kind, answer) => {
    expect((await confirm([step], { redirectResult: 'r' })).outcome).toMatchObject({ kind, answer });
  });
});
