import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { alertsOf } from '../payment-alerts/alerts.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { voidPayment } from './operations/void.ts';
import { cardPayment, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
});

const minute = 60;
const hour = 60 * minute;

/** Lets time pass and runs recovery every two seconds, like a server; for long times only every ten minutes. */
async function pass(seconds: number): Promise<void> {
  const step = seconds > 10 * minute ? 10 * minute : 2;
  for (let passed = 0; passed < seconds; passed += step) {
    kit.clock.move(step * 1000);
    await recoverPayments(kit.payments);
  }
}

describe('a card payment in doubt that was charged after all', () => {
  const ids = { order: 'ORDER1', capture: 'CAPTURE1' };
  const succeeded = { kind: 'succeeded', facts: idsOnly(ids) } as const;
  const apply = async (upstream: UpstreamIds = ids) =>
    applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf('k')).id, {
      kind: 'changed',
      upstream,
    });

  beforeEach(async () => {
    kit.processor.answers = { charge: async () => noAnswer };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    kit.processor.answers.charge = async () => ({ kind: 'not_carried_out', facts: idsOnly({}) });
    await pass(minute);
    // From here on a charge fails the test, since the processor does not expect one.
    kit.processor.answers = { lookUp: async () => succeeded };
  });

  it('is settled by the notification, and its retry asks nothing of the processor', async () => {
    expect(await apply()).toBe('applied');
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({ status: 'succeeded', upstream: ids });
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.succeeded']);
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('is looked up by its retry, which charges nothing, where the notification could not be applied', async () => {
    kit.processor.answers.lookUp = async () => noAnswer;
    expect(await apply()).toBe('later');
    expect(await shop.pay('k')).toMatchObject({ status: 503, text: 'provider_unavailable' });
    await pass(7 * hour);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    kit.processor.answers.lookUp = async () => succeeded;
    await pass(hour);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded' });
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('stays in doubt and is reported as long as the processor cannot show the capture that it reported', async () => {
    kit.processor.answers.lookUp = async () => ({ kind: 'cannot_tell' });
    expect(await apply({ capture: 'CAPTURE1' })).toBe('applied');
    await pass(7 * hour);
    const { id, status } = await shop.paymentOf('k');
    expect([status, await shop.eventsOf(id)]).toEqual(['processing', []]);
    expect(kit.incidents.at(-1)).toBe('a charge was reported, and its outcome cannot be looked up');
    expect(await shop.pay('k')).toMatchObject({ status: 503, text: 'provider_unavailable' });
    kit.processor.answers.lookUp = async () => succeeded;
    await pass(hour);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded', upstream: ids });
  });

  it('fails as not_processed where the named order is gone', async () => {
    kit.processor.answers.lookUp = async () => noAnswer;
    expect(await apply()).toBe('later');
    kit.processor.answers.lookUp = async () => ({ kind: 'nothing' });
    await pass(hour);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed', failure_code: 'not_processed' });
  });
});

it('a charge without an answer is looked up by its capture once its key is forgotten', async () => {
  kit.processor.answers = { charge: async () => noAnswer, lookUp: async () => noAnswer };
  expect(await shop.pay('k')).toMatchObject({ status: 503 });
  const { id } = await shop.paymentOf('k');
  const update = { kind: 'changed', upstream: { capture: 'CAPTURE1' } } as const;
  expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('later');
  await pass(6 * hour);
  kit.processor.answers = {
    lookUp: async (_connection, { upstream }) => ({ kind: 'succeeded', facts: idsOnly(upstream) }),
  };
  await pass(hour);
  expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded', upstream: { capture: 'CAPTURE1' } });
});

const other = { order: 'ORDER2', capture: 'CAPTURE2' };
const apply = async (upstream: object) =>
  applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf('k')).id, {
    kind: 'changed',
    upstream,
  });
const alerts = async () =>
  (await alertsOf(kit.db, shop.context(), (await shop.paymentOf('k')).id)).map(({ kind }) => kind);

describe('a notification about another order of a succeeded payment', () => {
  beforeEach(async () => {
    const own = idsOnly({ order: 'ORDER1', capture: 'CAPTURE1' });
    kit.processor.answers = { charge: async () => ({ kind: 'succeeded', facts: own }) };
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('alert charged_twice where the other order was charged', async () => {
    kit.processor.answers.lookUp = async (_connection, { upstream }) => {
      expect(upstream).toEqual(other);
      return { kind: 'succeeded', facts: idsOnly(other) };
    };
    expect(await apply(other)).toBe('applied');
    expect(await apply(other)).toBe('applied');
    expect(await alerts()).toEqual(['charged_twice']);
    expect(await shop.paymentOf('k')).toMatchObject({ upstream: { order: 'ORDER1' } });
  });

  it.each([
    ['alert charged_twice where the capture that it names is of another order', 'ORDER2', ['charged_twice']],
    ['no alert where the capture that it names is of its own order', 'ORDER1', []],
  ])('%s', async (_rule, order, expected) => {
    kit.processor.answers.lookUp = async (_connection, { upstream }) => {
      expect(upstream).toEqual({ capture: 'CAPTURE2' });
      return { kind: 'succeeded', facts: idsOnly({ order, capture: 'CAPTURE2' }) };
    };
    expect(await apply({ capture: 'CAPTURE2' })).toBe('applied');
    expect(await alerts()).toEqual(expected);
  });

  it('no alert where it was not charged; deferred where the processor does not say', async () => {
    kit.processor.answers.lookUp = async () => noAnswer;
    expect(await apply(other)).toBe('later');
    kit.processor.answers.lookUp = async () => ({ kind: 'voided' });
    expect(await apply(other)).toBe('applied');
    expect(await apply({ order: 'ORDER1', capture: 'CAPTURE1' })).toBe('applied');
    expect(await alerts()).toEqual([]);
  });
});

describe.each(['authorized', 'voided', 'failed'])(
  'a notification about another order of a payment that is %s',
  (status) => {
    const facts = idsOnly({ order: 'ORDER1', authorization: 'HOLD1' });
    const declined = { kind: 'declined', code: 'declined', facts } as const;

    beforeEach(async () => {
      const deadlines = { guaranteedUntil: null, expires: null };
      kit.processor.answers = {
        charge: async () => (status === 'failed' ? declined : { kind: 'authorized', facts, deadlines }),
        void: async () => ({ kind: 'voided' }),
      };
      await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
      const { id } = await shop.paymentOf('k');
      if (status === 'voided') {
        await voidPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
      }
      expect(await shop.paymentOf('k')).toMatchObject({ status });
    });

    it('alert charged_twice where the other order was charged, once', async () => {
      kit.processor.answers = { lookUp: async () => ({ kind: 'succeeded', facts: idsOnly(other) }) };
      expect(await apply(other)).toBe('applied');
      expect(await apply(other)).toBe('applied');
      expect(await alerts()).toEqual(['charged_twice']);
      expect(await shop.paymentOf('k')).toMatchObject({ status, upstream: { order: 'ORDER1' } });
    });

    it('no alert where it was not charged', async () => {
      kit.processor.answers = { lookUp: async () => declined };
      expect(await apply(other)).toBe('applied');
      expect(await alerts()).toEqual([]);
    });
  },
);

it('money of a failed payment in its own order is released, without an alert', async () => {
  const own = idsOnly({ order: 'ORDER1' });
  kit.processor.answers = { charge: async () => ({ kind: 'declined', code: 'declined', facts: own }) };
  await shop.pay('k');
  kit.processor.answers = {
    lookUp: async () => ({ kind: 'succeeded', facts: idsOnly({ order: 'ORDER1', capture: 'CAPTURE1' }) }),
    cancel: async () => ({ kind: 'cancelled' }),
  };
  expect(await apply({ order: 'ORDER1', capture: 'CAPTURE1' })).toBe('applied');
  expect(await alerts()).toEqual([]);
});

describe('money of a voided payment in its own order', () => {
  const own = { order: 'ORDER1', authorization: 'HOLD1' };
  const found = (upstream: UpstreamIds) => ({ kind: 'succeeded', facts: idsOnly(upstream) }) as const;
  const held = (authorization: string) =>
    ({
      kind: 'authorized',
      facts: idsOnly({ ...own, authorization }),
      deadlines: { guaranteedUntil: null, expires: null },
    }) as const;

  beforeEach(async () => {
    kit.processor.answers = { charge: async () => held('HOLD1'), void: async () => ({ kind: 'voided' }) };
    await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
    const { id } = await shop.paymentOf('k');
    await voidPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'voided' });
    kit.incidents.length = 0;
  });

  it('that was collected is reported until it was given back', async () => {
    const upstream = { ...own, capture: 'CAPTURE1' };
    kit.processor.answers = {
      lookUp: async () => found(upstream),
      cancel: async () => ({ kind: 'already_captured' }),
    };
    expect(await apply(upstream)).toBe('applied');
    expect(kit.incidents).toEqual([
      'charged upstream after it was voided here',
      'captured upstream after it was voided here: give the money back there',
    ]);
    kit.processor.answers = { cancel: async () => ({ kind: 'cancelled' }) };
    kit.clock.move(60 * 60_000);
    await recoverPayments(kit.payments);
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({ status: 'voided', upstream });
    expect(await kit.payments.operations.isOpen(payment)).toBe(false);
  });

  it('that is held under another id is released', async () => {
    const released: UpstreamIds[] = [];
    kit.processor.answers = {
      lookUp: async () => held('HOLD2'),
      cancel: async (_connection, { upstream }) => {
        released.push(upstream);
        return { kind: 'cancelled' };
      },
    };
    expect(await apply({ ...own, authorization: 'HOLD2' })).toBe('applied');
    expect(released).toEqual([{ ...own, authorization: 'HOLD2' }]);
    expect(kit.incidents).toEqual(['charged upstream after it was voided here']);
  });

  it.each(['voided', 'nothing'] as const)('that is %s there is nothing to report', async (kind) => {
    kit.processor.answers = { lookUp: async () => ({ kind }) };
    expect(await apply(own)).toBe('applied');
    expect(kit.incidents).toEqual([]);
  });

  it('is not in the late word of the hold that was voided since', async () => {
    const { id, amount, currency } = await shop.paymentOf('k');
    const update = { kind: 'settled', outcome: held('HOLD1'), amount, currency } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
    expect(kit.incidents).toEqual([]);
  });
});
