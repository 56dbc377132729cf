import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { reply } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { approved, connection, fault, inFlight, run } from '../test-kit.ts';
import { type Refusals, strictUpstream } from '../test-strict-upstream.ts';

const billingAddress = {
  line1: 'Torstraße',
  line2: '12',
  city: 'Berlin',
  postal_code: '10119',
  country: 'DE',
};
const { upstreamKey: firstKey } = sampleCharge();
const copyKey = `${firstKey}:a`;

function connect(refusals?: Refusals) {
  const { port, state, sent } = strictUpstream(refusals);
  const committed: string[] = [];
  const commitKey = async (key: string) => {
    committed.push(key);
    return true;
  };
  const charge = (changes: Partial<ChargeRequest> = {}) =>
    port.charge(connection, sampleCharge({ billingAddress, commitKey, ...changes }));
  const lose = async () => {
    state.losesAnswers = true;
    const outcome = await charge();
    state.losesAnswers = false;
    return outcome;
  };
  return { state, sent, committed, charge, lose };
}

describe('a charge whose address is refused', () => {
  it.each<Refusals>(['stored', 'not stored'])(
    'is sent at the first attempt without it, once the copy’s key is committed: refusals %s',
    async (refusals) => {
      const { state, sent, committed, charge } = connect(refusals);
      state.refusesAddresses = true;
      expect((await charge()).kind).toBe('succeeded');
      expect(committed).toEqual([copyKey]);
      expect(sent).toEqual([
        { key: firstKey, isWithAddress: true },
        { key: copyKey, isWithAddress: false },
      ]);
    },
  );

  it('is not sent without it where another process has taken over the attempt', async () => {
    const { state, sent, charge } = connect();
    state.refusesAddresses = true;
    const outcome = await charge({ commitKey: async () => false });
    expect(outcome).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
    expect(sent).toHaveLength(1);
  });
});

describe('a repeat whose address is refused', () => {
  it('before its key is looked up stays in doubt, so that the charge of the first request stays the only one', async () => {
    const { state, sent, committed, charge, lose } = connect();
    expect((await lose()).kind).toBe('unknown');
    state.refusesAddresses = true;
    expect(await charge({ isRepeat: true })).toMatchObject({
      kind: 'unknown',
      answer: 'provider_error',
      error: { status: 422, code: '131' },
    });
    expect([state.charges, committed]).toEqual([1, []]);
    expect(new Set(sent.map(({ key }) => key))).toEqual(new Set([firstKey]));
  });

  it('gets the charge of the first request where the upstream looks the key up first', async () => {
    const { state, charge, lose } = connect('stored');
    await lose();
    state.refusesAddresses = true;
    expect((await charge({ isRepeat: true })).kind).toBe('succeeded');
    expect(state.charges).toBe(1);
  });

  it('is sent without it where the refusal is the stored response of the first request', async () => {
    const { state, committed, charge, lose } = connect('stored');
    state.refusesAddresses = true;
    expect((await lose()).kind).toBe('unknown');
    expect((await charge({ isRepeat: true })).kind).toBe('succeeded');
    expect([state.charges, committed]).toEqual([1, [copyKey]]);
  });

  it('goes on under the key of the copy where that was sent last', async () => {
    const { state, sent, committed, charge } = connect();
    state.refusesAddresses = true;
    state.losesCopies = true;
    expect((await charge()).kind).toBe('unknown');
    state.losesCopies = false;
    expect(committed).toEqual([copyKey]);
    expect((await charge({ isRepeat: true, upstreamKey: copyKey })).kind).toBe('succeeded');
    expect(state.charges).toBe(1);
    expect(sent.at(-1)).toEqual({ key: copyKey, isWithAddress: false });
    expect(committed).toHaveLength(1);
  });

  it.each([
    ['gets no answer', new TransportError('timeout')],
    ['is refused anew', fault(422, '131', { 'idempotency-key': firstKey })],
    ['is refused for something else', fault(422, '14_018', { 'idempotency-key': firstKey })],
    [
      'is refused under another key',
      reply(422, { errorCode: '131', pspReference: 'R1' }, { 'idempotency-key': 'k' }),
    ],
    ['is refused under no key', reply(422, { errorCode: '131', pspReference: 'R1' })],
  ])('stays in doubt where the same request sent again %s', async (_, again) => {
    const refused = reply(422, { errorCode: '131', pspReference: 'R1' }, { 'idempotency-key': firstKey });
    const { outcome, sent } = await run([refused, again, approved], (port) =>
      port.charge(connection, sampleCharge({ billingAddress, isRepeat: true })),
    );
    expect(outcome.kind).toBe('unknown');
    expect(sent).toHaveLength(2);
  });

  it('stays in doubt as well where its own first copy was still being processed', async () => {
    const refused = fault(422, '131');
    const { outcome, keys } = await run([inFlight, refused, refused, approved], (port) =>
      port.charge(connection, sampleCharge({ billingAddress })),
    );
    expect(outcome.kind).toBe('unknown');
    expect(new Set(keys)).toEqual(new Set([firstKey]));
  });
});
