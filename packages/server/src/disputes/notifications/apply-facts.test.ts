import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import type { DisputeFacts, DisputeState, DisputeStatus } from '../../processors/port/disputes.ts';
import { refundableOf } from '../../refunds/refundable.ts';
import { tenantIn } from '../../vault/test-database.ts';
import { createDisputeKit, type DisputeKit, factsOf } from '../test-kit.ts';
import { applyDisputeFacts } from './apply-facts.ts';

let kit: DisputeKit;
let shop: AccountContext;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = kit.context(await kit.openAccount());
});

afterAll(() => kit.drop());

const apply = (facts: DisputeFacts, where = shop) => applyDisputeFacts(kit.deps, where, facts);

async function dispute(upstreamId: string, where = shop) {
  const row = await kit.deps.store.findByUpstreamId(where, upstreamId);
  if (row === undefined) throw new Error(`${upstreamId} is not there`);
  return row;
}

/** Applies updates with these positions to one dispute, in order. @returns the dispute and the types of its events */
async function receive(...facts: readonly (readonly [DisputeState | null, DisputeStatus | null])[]) {
  const first = factsOf(await kit.pay(shop));
  for (const [state, status] of facts) await apply({ ...first, state, status });
  const row = await dispute(first.upstreamId);
  return { ...row, events: (await kit.events(row.id)).map(({ type }) => type) };
}

describe('the first notification of a dispute', () => {
  it('creates it with one event whose data is what retrieve shows', async () => {
    const payment = await kit.pay(shop);
    const facts = factsOf(payment, { status: 'new', amount: 2000, currency: 'EUR', arn: 'ARN1' });
    expect(await apply(facts)).toBe('applied');
    const row = await dispute(facts.upstreamId);
    const [event, ...others] = await kit.events(row.id);
    expect(others).toEqual([]);
    expect(event?.type).toBe('dispute.created');
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      sequence: 1,
      livemode: false,
      data: {
        object: {
          id: row.id,
          object: 'dispute',
          payment,
          customer: null,
          amount: 2000,
          currency: 'EUR',
          state: 'chargeback',
          status: 'action_required',
          reason: 'fraudulent',
          respond_by: '2026-12-01T12:00:00Z',
          raised_at: '2026-11-20T10:00:00Z',
          payment_method: { type: 'card', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
          arn: 'ARN1',
          metadata: {},
          livemode: false,
        },
      },
    });
  });

  it('full amount and reason general where the upstream names neither', async () => {
    const facts = factsOf(await kit.pay(shop), { reason: null, raisedAt: null });
    await apply(facts);
    const row = await dispute(facts.upstreamId);
    const [event] = await kit.events(row.id);
    expect(JSON.parse(event?.body ?? '').data.object).toMatchObject({
      amount: 4990,
      currency: 'EUR',
      reason: 'general',
      raised_at: '2026-11-20T12:00:00Z',
    });
  });

  it('finds the payment by the upstream’s ids where the reference is missing', async () => {
    const payment = await kit.pay(shop, { order: 'O1', capture: 'CAP-77' });
    const facts = factsOf(null, { payment: { capture: 'CAP-77' } });
    expect(await apply(facts)).toBe('applied');
    expect((await dispute(facts.upstreamId)).payment_id).toBe(payment);
  });

  it('is deferred where the payment is unknown, of another account or of the other mode', async () => {
    const other = kit.context(await kit.openAccount());
    const foreign = await kit.pay(other, { psp: 'PSP-1' });
    const live = { ...shop, ...tenantIn(shop.accountId, true) };
    const before = kit.incidents.length;
    expect(await apply(factsOf('pay_000000000000000000000000'))).toBe('later');
    expect(await apply(factsOf(foreign))).toBe('later');
    expect(await apply(factsOf(null, { payment: { psp: 'PSP-1' } }))).toBe('later');
    expect(await apply(factsOf(null))).toBe('later');
    expect(await apply(factsOf(await kit.pay(shop)), live)).toBe('later');
    expect(kit.incidents).toHaveLength(before + 5);
  });

  it('is deferred where the state is missing', async () => {
    expect(await apply(factsOf(await kit.pay(shop), { state: null, status: 'challenged' }))).toBe('later');
  });

  it('creates one dispute from concurrent copies', async () => {
    const facts = factsOf(await kit.pay(shop));
    expect(await Promise.all(Array.from({ length: 8 }, () => apply(facts)))).toEqual(
      Array(8).fill('applied'),
    );
    const row = await dispute(facts.upstreamId);
    expect(await kit.events(row.id)).toHaveLength(1);
    const [{ last, count } = { last: 0, count: -1 }] = await kit.db.query<{ last: number; count: number }>({
      text: `select k.last, (select count(*) from disputes d where d.tenant = k.tenant) as count
             from counters k where k.tenant = $1 and k.list = 'disputes'`,
      values: [shop.tenant],
      scope: shop,
    });
    expect(last).toBe(count);
  });
});

describe('later notifications', () => {
  it('move the dispute along the table of moves, one event each', async () => {
    const row = await receive(
      ['chargeback', 'action_required'],
      [null, 'challenged'],
      ['chargeback', 'won'],
      ['pre_arbitration', 'action_required'],
      ['pre_arbitration', 'challenged'],
      ['scheme_arbitration', 'challenged'],
      ['scheme_arbitration', 'lost'],
    );
    expect(row).toMatchObject({ state: 'scheme_arbitration', status: 'lost' });
    expect(row.events).toEqual([
      'dispute.created',
      'dispute.updated',
      'dispute.closed',
      'dispute.updated',
      'dispute.updated',
      'dispute.updated',
      'dispute.closed',
    ]);
  });

  it('a win and a loss are a recovery in either order', async () => {
    for (const [one, other] of [
      ['lost', 'won'],
      ['won', 'lost'],
    ] as const) {
      const row = await receive(
        ['chargeback', 'action_required'],
        ['chargeback', one],
        ['chargeback', other],
      );
      expect(row.status).toBe('recovered');
      expect(row.events).toEqual(['dispute.created', 'dispute.closed', 'dispute.closed']);
    }
  });

  it('stale and repeated ones change nothing', async () => {
    const row = await receive(
      ['chargeback', 'won'],
      ['chargeback', 'action_required'],
      ['chargeback', 'won'],
      ['information_request', 'action_required'],
    );
    expect(row).toMatchObject({
      state: 'chargeback',
      status: 'won',
      version: 1,
      events: ['dispute.created'],
    });
  });

  it('those that contradict the table of moves are ignored and reported', async () => {
    const before = kit.incidents.length;
    const row = await receive(['chargeback', 'accepted'], ['chargeback', 'won']);
    expect(row).toMatchObject({ status: 'accepted', events: ['dispute.created'] });
    expect(kit.incidents.slice(before)).toEqual(['updates of a dispute contradict what is known']);
  });

  it('stale ones still fill in missing fields', async () => {
    const won = factsOf(await kit.pay(shop), {
      status: 'won',
      reason: null,
      networkReasonCode: null,
      respondBy: null,
      raisedAt: null,
    });
    await apply(won);
    await apply({
      ...won,
      status: 'action_required',
      reason: 'duplicate',
      amount: 100,
      currency: 'EUR',
      raisedAt: new Date('2026-11-01T00:00:00Z'),
    });
    const row = await dispute(won.upstreamId);
    expect(row).toMatchObject({ status: 'won', reason: 'duplicate', amount: 100 });
    expect((await kit.events(row.id)).map(({ type }) => type)).toEqual([
      'dispute.created',
      'dispute.updated',
    ]);
  });

  it('stale ones never move the deadline of a later stage forward', async () => {
    const first = factsOf(await kit.pay(shop));
    await apply({ ...first, state: 'pre_arbitration', respondBy: null });
    await apply(first);
    expect((await dispute(first.upstreamId)).respond_by).toBeNull();
    await apply({ ...first, state: 'pre_arbitration', respondBy: new Date('2027-01-01T00:00:00Z') });
    expect((await dispute(first.upstreamId)).respond_by).toEqual(new Date('2027-01-01T00:00:00Z'));
  });

  it('apply to their own account and mode only', async () => {
    const live = { ...shop, ...tenantIn(shop.accountId, true) };
    const facts = factsOf(await kit.pay(shop));
    await apply(facts);
    await apply({ ...facts, paymentId: await kit.pay(live), status: 'lost' }, live);
    expect((await dispute(facts.upstreamId)).status).toBe('action_required');
    expect((await dispute(facts.upstreamId, live)).status).toBe('lost');
  });
});

describe('a further dispute of a payment of which one was won', () => {
  const orders = [
    ['action_required', 'challenged', 'won'],
    ['action_required', 'won', 'challenged'],
    ['challenged', 'won', 'action_required'],
    ['won', 'action_required', 'challenged', 'won'],
  ] as const;

  it.each(orders.map((order) => [order.join(', '), order] as const))(
    'ends as the processor says and frees its money, whatever comes first: %s',
    async (_name, order) => {
      const payment = await kit.pay(shop);
      const part = { amount: 2000, currency: 'EUR' };
      await apply(factsOf(payment, { ...part, status: 'won' }));
      const further = factsOf(payment, part);
      for (const status of order) await apply({ ...further, status });
      expect(await dispute(further.upstreamId)).toMatchObject({ state: 'chargeback', status: 'won' });
      const { left } = await refundableOf(kit.db, { tenant: shop.tenant, id: payment });
      expect(left).toBe(4990);
    },
  );

  it('is lost for good where the processor says so', async () => {
    const payment = await kit.pay(shop);
    await apply(factsOf(payment, { state: 'information_request', status: 'won' }));
    const chargeback = factsOf(payment);
    for (const status of ['action_required', 'challenged', 'lost'] as const) {
      await apply({ ...chargeback, status });
    }
    expect(await dispute(chargeback.upstreamId)).toMatchObject({ state: 'chargeback', status: 'lost' });
  });

  it('is a second chargeback where the processor calls it one', async () => {
    const payment = await kit.pay(shop);
    await apply(factsOf(payment, { status: 'won' }));
    const second = factsOf(payment, { state: 'second_chargeback' });
    await apply(second);
    await apply({ ...second, status: 'lost' });
    expect(await dispute(second.upstreamId)).toMatchObject({ state: 'second_chargeback', status: 'lost' });
  });
});

describe('mails', () => {
  it('owners and admins get one when a dispute is opened, raised again and closed', async () => {
    const where = kit.context(await kit.openAccount());
    await kit.addStaff(where.accountId, 'owner@shop.example');
    await kit.addStaff(where.accountId, 'admin@shop.example', 'admin');
    await kit.addStaff(where.accountId, 'viewer@shop.example', 'viewer');
    const facts = factsOf(await kit.pay(where));
    for (const [state, status] of [
      ['chargeback', 'action_required'],
      ['chargeback', 'challenged'],
      ['pre_arbitration', 'action_required'],
      ['pre_arbitration', 'lost'],
    ] as const) {
      await apply({ ...facts, state, status }, where);
      kit.clock.move(1);
    }
    const mails = await kit.mails(where.accountId);
    expect(new Set(mails.map((mail) => mail.to_address))).toEqual(
      new Set(['owner@shop.example', 'admin@shop.example']),
    );
    const subjects = mails.filter((mail) => mail.to_address.startsWith('owner')).map((mail) => mail.subject);
    expect(subjects).toEqual([
      '[Test] A payment of 49.90 EUR is disputed: answer by 1 Dec 2026, 12:00 UTC',
      '[Test] A payment of 49.90 EUR is disputed: answer by 1 Dec 2026, 12:00 UTC',
      '[Test] Dispute of 49.90 EUR: lost',
    ]);
    expect(mails.every((mail) => mail.state === 'queued')).toBe(true);
  });
});
