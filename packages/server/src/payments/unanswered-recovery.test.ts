import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChargeOutcome, NoAnswer } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { createRefund } from '../refunds/create-refund.ts';
import { recoverRefunds } from '../refunds/refund.ts';
import { refundableOf } from '../refunds/refundable.ts';
import { capturePayment } from './operations/capture.ts';
import { confirmPayment } from './operations/confirm.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { voidPayment } from './operations/void.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop, walletPayment } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const open = async (processor: 'processor_a' | 'processor_b') => {
  shop = await Shop.open(kit, processor);
};

const noAnswers: readonly NoAnswer[] = [
  { kind: 'unknown', answer: 'provider_unavailable', reason: 'test' },
  { kind: 'not_executed', answer: 'provider_error', reason: 'test' },
];
const offered: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_b_wallet',
  redirectUrl: 'https://wallet.example/approve',
  facts: idsOnly({ order: 'ORDER1' }),
};
const held: ChargeOutcome = {
  kind: 'authorized',
  facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1' }),
  deadlines: { guaranteedUntil: null, expires: null },
};
/** The gaps before each run of recovery: first those of its plan, then long after every processor has forgotten its keys. */
const lookUpSeconds = [6, 45, 360, 1860, 3660, 3660, 6 * 3600, 7 * 24 * 3600];
const idempotent = { claim: null, resumes: null };

/** Runs recovery over a week. @returns how many operations it looked at in all */
async function passAWeek(): Promise<number> {
  let looks = 0;
  for (const seconds of lookUpSeconds) {
    kit.clock.move(seconds * 1000);
    looks += await recoverPayments(kit.payments);
  }
  return looks;
}

/** How often recovery looks at a charge. Its first run leaves the charge to the merchant's retry. */
const looksAtCharge = lookUpSeconds.length - 1;

/** Expects that the payment is unchanged and still in doubt after a week, without a new event. */
async function expectInDoubt(minLookUps = lookUpSeconds.length): Promise<void> {
  const before = await shop.paymentOf('k');
  const events = await shop.eventsOf(before.id);
  expect(await passAWeek()).toBeGreaterThanOrEqual(minLookUps);
  const { status, version, failure_code } = before;
  expect(await shop.paymentOf('k')).toMatchObject({ status, version, failure_code });
  expect(await shop.eventsOf(before.id)).toEqual(events);
  expect(await kit.payments.operations.isOpen(before)).toBe(true);
}

describe.each(noAnswers)('recovery whose own request ends as $kind leaves in doubt', (none) => {
  const nothing = async () => none;
  const unknown = async (): Promise<NoAnswer> => ({ ...none, kind: 'unknown' });

  beforeEach(() => {
    kit.processor.answers = { lookUp: nothing, cancel: nothing };
  });

  it('a charge of processor_a', async () => {
    await open('processor_a');
    kit.processor.answers.charge = unknown;
    await shop.pay('k');
    await expectInDoubt(looksAtCharge);
  });

  it('a charge of processor_b', async () => {
    await open('processor_b');
    kit.processor.answers.charge = unknown;
    await shop.pay('k');
    kit.processor.answers.charge = nothing;
    await expectInDoubt();
  });

  it('a charge whose order is found and cannot be read', async () => {
    await open('processor_b');
    kit.processor.answers.charge = unknown;
    await shop.pay('k', {}, walletPayment);
    kit.processor.answers.charge = async () => offered;
    await expectInDoubt();
  });

  it('a confirm whose order cannot be looked up', async () => {
    await open('processor_b');
    kit.processor.answers = {
      charge: async () => offered,
      confirm: unknown,
      lookUp: nothing,
      cancel: nothing,
    };
    await shop.pay('k', {}, walletPayment);
    const { id } = await shop.paymentOf('k');
    await expect(confirmPayment(kit.payments, shop.context(), id, idempotent)).rejects.toThrow();
    kit.processor.answers.confirm = nothing;
    await expectInDoubt();
  });

  it.each([
    ['capture', capturePayment],
    ['void', voidPayment],
  ] as const)('a %s', async (kind, operate) => {
    await open('processor_b');
    kit.processor.answers = { charge: async () => held, [kind]: unknown };
    await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    await expect(operate(kit.payments, shop.context(), id, idempotent)).rejects.toThrow();
    kit.processor.answers = { [kind]: nothing };
    await expectInDoubt();
  });

  it('the cancellation of the rest of a declined capture', async () => {
    await open('processor_b');
    const declined = { kind: 'declined', code: 'declined', facts: idsOnly({}) } as const;
    kit.processor.answers = { charge: async () => held, capture: async () => declined, cancel: nothing };
    await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    await capturePayment(kit.payments, shop.context(), id, idempotent);
    await expectInDoubt();
  });

  it('a refund', async () => {
    await open('processor_b');
    kit.processor.answers = { charge: async () => chargedAs('PSP1'), refund: unknown };
    await shop.pay('k');
    const payment = await shop.paymentOf('k');
    const { id: paymentId } = payment;
    const options = { paymentId, request: {}, ...idempotent };
    await expect(createRefund(kit.refunds, shop.context(), options)).rejects.toThrow();
    kit.processor.answers.refund = nothing;
    for (const seconds of lookUpSeconds) {
      kit.clock.move(seconds * 1000);
      await recoverRefunds(kit.refunds);
    }
    const { rows } = await kit.refunds.store.list(shop.context(), paymentId, 1, 1);
    const [refund] = rows;
    if (refund === undefined) throw new Error('no refund');
    expect(refund.status).toBe('pending');
    expect(await kit.payments.operations.isOpen(refund, ['refund'])).toBe(true);
    expect((await refundableOf(kit.db, payment)).refunded).toBe(4990);
  });
});

describe('a charge of processor_b whose answer names an order without an outcome', () => {
  const pending: NoAnswer = { ...noAnswer, upstream: { order: 'ORDER1' } };

  it.each([
    ['of the request', pending, noAnswer],
    ['of a repeat by recovery', noAnswer, pending],
  ])('is looked up once the key is forgotten (%s)', async (_whose, first, repeated) => {
    await open('processor_b');
    const asked: unknown[] = [];
    kit.processor.answers = {
      charge: async () => first,
      lookUp: async (_connection, { paymentId, upstream }) => {
        asked.push([paymentId, upstream]);
        return { kind: 'succeeded', facts: idsOnly({ order: 'ORDER1', capture: 'CAPTURE1' }) };
      },
    };
    expect((await shop.pay('k')).status).toBe(503);
    kit.processor.answers.charge = async () => repeated;
    for (const seconds of lookUpSeconds.slice(0, 3)) {
      kit.clock.move(seconds * 1000);
      await recoverPayments(kit.payments);
    }
    const { id, status } = await shop.paymentOf('k');
    expect(status).toBe('processing');
    kit.clock.move(6 * 3_600_000);
    await recoverPayments(kit.payments);
    expect(asked).toContainEqual([id, { order: 'ORDER1' }]);
    expect(await shop.paymentOf('k')).toMatchObject({
      status: 'succeeded',
      upstream: { capture: 'CAPTURE1' },
    });
  });
});
