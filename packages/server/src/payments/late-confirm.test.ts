import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChargeOutcome, LookUpOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { noteReturn } from './note-return.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { confirmPayment } from './operations/confirm.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop, walletPayment } from './test-kit.ts';

const minute = 60_000;
const windowMs = 15 * minute;

let kit: MoneyKit;
let shop: Shop;
let id: string;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const captured = { kind: 'succeeded', facts: idsOnly({ order: 'ORDER1', capture: 'CAPTURE1' }) } as const;

const confirm = () => confirmPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
const state = async () => {
  const { status, failure_code: code } = await shop.paymentOf('k');
  return code === null ? status : `${status} ${code}`;
};

/** A confirm shortly before the end of the window gets no answer. Then the window is over, and another confirm fails the test. */
async function confirmUnanswered(): Promise<void> {
  kit.clock.move(windowMs - 1000);
  kit.processor.answers.confirm = async () => noAnswer;
  await expect(confirm()).rejects.toMatchObject({ status: 503 });
  kit.processor.answers = { cancel: async () => ({ kind: 'cancelled' }) };
  kit.clock.move(6000);
}

describe('a confirm of processor_b without an answer, once the 15 minutes are over', () => {
  const lookUp = (outcome: LookUpOutcome) => {
    kit.processor.answers.lookUp = async () => outcome;
  };

  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_b');
    const offered: ChargeOutcome = {
      kind: 'requires_action',
      action: 'processor_b_wallet',
      redirectUrl: 'https://wallet.example/approve',
      facts: idsOnly({ order: 'ORDER1' }),
    };
    kit.processor.answers = { charge: async () => offered };
    await shop.pay('k', {}, walletPayment);
    ({ id } = await shop.paymentOf('k'));
    await confirmUnanswered();
  });

  /** For a minute after the window the processor may still carry out the confirm. Lets that minute pass. */
  const pastDoubt = () => kit.clock.move(minute);

  it('fails by recovery where nothing was charged, and is not asked for again', async () => {
    lookUp({ kind: 'open' });
    await recoverPayments(kit.payments);
    expect(await state()).toBe('requires_action');
    pastDoubt();
    await recoverPayments(kit.payments);
    expect(await state()).toBe('failed confirmation_expired');
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.failed']);
  });

  it('200 with the failed payment for a repeat where nothing was charged', async () => {
    lookUp({ kind: 'open' });
    await expect(confirm()).rejects.toMatchObject({ status: 503 });
    pastDoubt();
    const answer = await confirm();
    expect(answer).toMatchObject({ status: 200 });
    expect(JSON.parse('text' in answer ? answer.text : '')).toMatchObject({
      status: 'failed',
      failure: { code: 'confirmation_expired' },
    });
    expect(await confirm()).toMatchObject({ status: 200 });
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.failed']);
  });

  it.each([
    ['recovery', () => recoverPayments(kit.payments)],
    ['a repeat', confirm],
  ] as const)('succeeds where it was charged in time, by %s', async (_who, end) => {
    lookUp(captured);
    await end();
    expect(await state()).toBe('succeeded');
  });

  it.each([
    ['recovery', () => recoverPayments(kit.payments)],
    ['a repeat', confirm],
  ] as const)('succeeds where its capture arrives after a look-up, by %s', async (_who, end) => {
    lookUp({ kind: 'open' });
    await recoverPayments(kit.payments);
    await expect(confirm()).rejects.toMatchObject({ status: 503 });
    lookUp(captured);
    pastDoubt();
    await end();
    expect(await state()).toBe('succeeded');
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.succeeded']);
  });

  it('is settled by the notification of a capture that arrives after a look-up', async () => {
    lookUp({ kind: 'open' });
    await recoverPayments(kit.payments);
    lookUp(captured);
    const update = { kind: 'changed', upstream: captured.facts.upstream } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
    await recoverPayments(kit.payments);
    expect(await state()).toBe('succeeded');
  });

  it('stays in doubt while the look-up gets no answer', async () => {
    lookUp(noAnswer);
    await expect(confirm()).rejects.toMatchObject({ status: 503 });
    for (const minutes of [1, 60, 600]) {
      kit.clock.move(minutes * minute);
      await recoverPayments(kit.payments);
    }
    expect(await state()).toBe('requires_action');
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action']);
  });

  it.each(['nothing', 'voided'] as const)('fails as not_processed where its order is %s', async (kind) => {
    lookUp({ kind });
    await recoverPayments(kit.payments);
    expect(await state()).toBe('failed not_processed');
  });

  it('is reported until the money is given back where a capture under way arrives after the look-up', async () => {
    lookUp({ kind: 'open' });
    pastDoubt();
    await confirm();
    lookUp(captured);
    let asked = 0;
    kit.processor.answers.cancel = async (_connection, { paymentId }) => {
      asked += Number(paymentId === id);
      return { kind: 'already_captured' };
    };
    kit.clock.move(minute);
    await recoverPayments(kit.payments);
    const update = { kind: 'changed', upstream: captured.facts.upstream } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('later');
    kit.clock.move(60 * minute);
    await recoverPayments(kit.payments);
    expect(asked).toBe(2);
    expect(kit.incidents).toContain('captured upstream after it failed here: give the money back there');
    kit.processor.answers.cancel = async () => ({ kind: 'cancelled' });
    kit.clock.move(60 * minute);
    await recoverPayments(kit.payments);
    expect(await kit.payments.operations.isOpen(await shop.paymentOf('k'))).toBe(false);
    expect(await state()).toBe('failed confirmation_expired');
  });

  it('is cancelled where the notification of that capture is the first word of it', async () => {
    lookUp({ kind: 'open' });
    pastDoubt();
    await confirm();
    kit.clock.move(minute);
    await recoverPayments(kit.payments);
    lookUp(captured);
    const asked: unknown[] = [];
    kit.processor.answers.cancel = async (_connection, { upstream }) => {
      asked.push(upstream);
      return { kind: 'already_captured' };
    };
    const update = { kind: 'changed', upstream: captured.facts.upstream } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
    expect(asked).toEqual([captured.facts.upstream]);
    expect(await state()).toBe('failed confirmation_expired');
  });
});

describe('a confirm of processor_a without an answer, once the 15 minutes are over', () => {
  let cancelled: number;

  beforeEach(async () => {
    shop = await Shop.open(kit);
    const waiting: ChargeOutcome = {
      kind: 'requires_action',
      action: 'processor_a_redirect',
      redirectUrl: 'https://bank.example/challenge',
      facts: idsOnly({ psp: 'PSP1' }),
    };
    kit.processor.answers = { charge: async () => waiting };
    await shop.pay('k');
    const payment = await shop.paymentOf('k');
    id = payment.id;
    await noteReturn(kit.payments, shop.context(), payment, { redirectResult: 'passed' });
    await confirmUnanswered();
    cancelled = 0;
    kit.processor.answers = {
      lookUp: async () => ({ kind: 'cannot_tell' }),
      cancel: async (_connection, { paymentId }) => {
        cancelled += Number(paymentId === id);
        return { kind: 'accepted' };
      },
    };
  });

  const afterAMinute = async () => {
    await recoverPayments(kit.payments);
    kit.clock.move(45_000);
    await recoverPayments(kit.payments);
  };
  const apply = (update: Parameters<typeof applyPaymentUpdate>[3]) =>
    applyPaymentUpdate(kit.payments, shop.context(), id, update);

  it('is settled by the notification of what was charged in time, which gets the first minute', async () => {
    await recoverPayments(kit.payments);
    const { amount, currency } = await shop.paymentOf('k');
    await apply({ kind: 'settled', outcome: chargedAs('PSP1'), amount, currency });
    expect(await state()).toBe('succeeded');
    expect(cancelled).toBe(0);
  });

  it('is cancelled upstream within a minute, not asked for again, and fails with the notification', async () => {
    await afterAMinute();
    expect(cancelled).toBe(1);
    expect(await state()).toBe('requires_action');
    expect(await apply({ kind: 'cancelled' })).toBe('applied');
    expect(await state()).toBe('failed 3ds_token_expired');
    expect(await confirm()).toMatchObject({ status: 200 });
  });

  it('503 for a repeat, which neither asks for it again nor puts its end off', async () => {
    let seconds = 0;
    for (; cancelled === 0 && seconds < 60; seconds += 2) {
      await expect(confirm()).rejects.toMatchObject({ status: 503 });
      kit.clock.move(2000);
      await recoverPayments(kit.payments);
    }
    expect(seconds).toBeLessThan(60);
  });
});
