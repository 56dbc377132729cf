import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleCard } from '../fixtures.ts';
import {
  buyer,
  type ConnectedSimulator,
  cardOf,
  connectSimulator,
  createSimulatorDatabase,
  factsOf,
  newCharge,
  save,
  savedBy,
} from './test-simulator.ts';

let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;
let simulator: ConnectedSimulator;

beforeAll(async () => {
  database = await createSimulatorDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  simulator = connectSimulator(database.pool);
});

describe('saving and charging again at the simulator', () => {
  it.each(['card', 'wallet'] as const)(
    'saves a %s and charges it off-session and on-session',
    async (method) => {
      const stored = await savedBy(simulator, method === 'wallet' ? { instrument: { kind: 'wallet' } } : {});
      expect(stored.upstreamCustomer).toMatch(/^\d{10}$/);
      for (const initiator of ['merchant', 'customer'] as const) {
        const request = newCharge({ instrument: { ...stored, initiator } });
        const outcome = await simulator.charge(request);
        expect(outcome).toMatchObject({ kind: 'succeeded', facts: { saved: null } });
        expect(await simulator.collected(request.paymentId)).toBe(1);
      }
    },
  );

  it('saves a card typed into our page', async () => {
    const request = newCharge({ buyer, save, instrument: { kind: 'card_fields' } });
    const { upstream } = factsOf(await simulator.charge(request));
    const submitted = await simulator.port.submitCard(simulator.connection, {
      ...request,
      upstreamKey: `${request.paymentId}:s:1`,
      upstream,
      card: sampleCard,
    });
    expect(submitted).toEqual({ kind: 'approved' });
    const confirmed = await simulator.port.confirm(simulator.connection, {
      ...request,
      upstreamKey: `${request.paymentId}:f:1`,
      upstream,
      returned: null,
    });
    expect(confirmed).toMatchObject({
      kind: 'succeeded',
      facts: { last4: '1111', saved: { token: expect.any(String) } },
    });
  });

  it('keeps one upstream id per customer', async () => {
    const first = await savedBy(simulator, {});
    const again = await savedBy(simulator, { save: { ...save, upstreamCustomer: first.upstreamCustomer } });
    expect(again.upstreamCustomer).toBe(first.upstreamCustomer);
    expect(again.token).not.toBe(first.token);
  });

  it('refused saving: no charge where it was required, else a charge without it', async () => {
    const asked = newCharge({ buyer, save, ...cardOf('SIM-SAVE-REFUSED') });
    expect((await simulator.charge(asked)).kind).toBe('cannot_save');
    expect(await simulator.collected(asked.paymentId)).toBe(0);
    const byDefault = newCharge({
      buyer,
      save: { ...save, required: false },
      ...cardOf('SIM-SAVE-REFUSED'),
    });
    expect(await simulator.charge(byDefault)).toMatchObject({ kind: 'succeeded', facts: { saved: null } });
    expect(await simulator.charge(byDefault)).toMatchObject({ kind: 'succeeded' });
    expect(await simulator.collected(byDefault.paymentId)).toBe(1);
  });

  it('declines off-session', async () => {
    const stored = await savedBy(simulator, cardOf('SIM-MIT-DECLINE'));
    const outcome = await simulator.charge(newCharge({ instrument: stored }));
    expect(outcome).toMatchObject({ kind: 'declined', code: 'insufficient_funds' });
    expect(outcome).not.toHaveProperty('instrumentGone');
  });

  it('detects a revoked card', async () => {
    const stored = await savedBy(simulator, cardOf('SIM-MIT-REVOKED'));
    const gone = { kind: 'declined', instrumentGone: true };
    expect(await simulator.charge(newCharge({ instrument: stored }))).toMatchObject({
      ...gone,
      code: 'refused',
    });
    expect(await simulator.charge(newCharge({ instrument: stored }))).toMatchObject(gone);
  });

  it('removes a saved card, which then cannot be charged', async () => {
    const stored = await savedBy(simulator, {});
    const remove = () =>
      simulator.port.removeInstrument(simulator.connection, {
        token: stored.token,
        customerId: 'cus_1',
        upstreamKey: 'pm_1:r',
      });
    expect(await remove()).toEqual({ kind: 'removed' });
    expect(await remove()).toEqual({ kind: 'removed' });
    expect(await simulator.charge(newCharge({ instrument: stored }))).toMatchObject({
      kind: 'declined',
      instrumentGone: true,
    });
  });

  it('sends the transaction context first, and charges nothing where it is refused', async () => {
    const risk = { riskSession: '0123456789abcdef0123456789abcdef' };
    const charge = newCharge({ ...risk, transactionContext: { sender_popularity_score: 'high' } });
    expect((await simulator.charge(charge)).kind).toBe('succeeded');
    const refused = newCharge({ ...risk, transactionContext: { industry: 'SIM-STC-REFUSED' } });
    expect(await simulator.charge(refused)).toMatchObject({ kind: 'not_executed', answer: 'provider_error' });
    expect(await simulator.collected(refused.paymentId)).toBe(0);
  });

  it('creates a token for the browser', async () => {
    const minted = await simulator.port.clientToken(simulator.connection, {
      domains: ['shop.example'],
      upstreamCustomer: null,
    });
    expect(minted).toMatchObject({ kind: 'minted', clientId: simulator.connection.accountId });
  });
});
