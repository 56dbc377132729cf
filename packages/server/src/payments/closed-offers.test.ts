import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { noteReturn } from './note-return.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { confirmPayment } from './operations/confirm.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

const hour = 3_600_000;

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const waiting: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_a_redirect',
  redirectUrl: 'https://bank.example/challenge',
  facts: idsOnly({ psp: 'OFFER1' }),
};

beforeEach(async () => {
  shop = await Shop.open(kit);
  kit.processor.answers = {
    charge: async () => waiting,
    lookUp: async () => ({ kind: 'cannot_tell' }),
    cancel: async () => ({ kind: 'accepted' }),
  };
});

const apply = async (update: Parameters<typeof applyPaymentUpdate>[3]) =>
  applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf('k')).id, update);
const closed = (psp = 'OFFER1') => apply({ kind: 'offer_closed', upstream: { psp } });
const settled = async (psp: string) => {
  const { amount, currency } = await shop.paymentOf('k');
  return apply({ kind: 'settled', outcome: chargedAs(psp), amount, currency });
};
const state = async () => {
  const { status, failure_code: code } = await shop.paymentOf('k');
  return code === null ? status : `${status} ${code}`;
};
const confirm = async () => {
  const { id } = await shop.paymentOf('k');
  return confirmPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
};

/** Runs recovery every hour for half a day. */
async function passHalfADay(): Promise<void> {
  for (let hours = 0; hours < 12; hours += 1) {
    kit.clock.move(hour);
    await recoverPayments(kit.payments);
  }
}

describe('an offer that is closed upstream', () => {
  it('fails a charge without an answer, which could not be cancelled', async () => {
    kit.processor.answers.charge = async () => noAnswer;
    await shop.pay('k');
    await passHalfADay();
    expect(await apply({ kind: 'not_cancelled' })).toBe('applied');
    expect(await state()).toBe('processing');
    expect(await closed()).toBe('applied');
    expect(await state()).toBe('failed not_processed');
    expect(await closed()).toBe('applied');
    const { id, upstream } = await shop.paymentOf('k');
    expect(upstream).toEqual({ psp: 'OFFER1' });
    expect(await shop.eventsOf(id)).toEqual(['payment.failed']);
    expect(await shop.pay('k')).toMatchObject({ status: 200 });
  });

  it('fails a payment that waits for its buyer as 3ds_abandoned', async () => {
    await shop.pay('k');
    expect(await closed()).toBe('applied');
    expect(await state()).toBe('failed 3ds_abandoned');
    const payment = await shop.paymentOf('k');
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.requires_action', 'payment.failed']);
    expect(await kit.payments.operations.isOpen(payment)).toBe(false);
    expect(await confirm()).toMatchObject({ status: 200 });
  });

  it('fails a payment whose confirm got no answer', async () => {
    await shop.pay('k');
    await noteReturn(kit.payments, shop.context(), await shop.paymentOf('k'), { redirectResult: 'passed' });
    kit.processor.answers.confirm = async () => noAnswer;
    await expect(confirm()).rejects.toMatchObject({ status: 503 });
    await passHalfADay();
    expect(await state()).toBe('requires_action');
    expect(await closed()).toBe('applied');
    expect(await state()).toBe('failed 3ds_token_expired');
  });

  it('waits while the processor is asked to confirm', async () => {
    await shop.pay('k');
    kit.processor.answers.confirm = async () => {
      expect(await closed()).toBe('later');
      return chargedAs('OFFER1');
    };
    await confirm();
    expect(await closed()).toBe('applied');
    expect(await state()).toBe('succeeded');
  });

  it('changes nothing of a payment that was charged', async () => {
    kit.processor.answers.charge = async () => noAnswer;
    await shop.pay('k');
    expect(await settled('OFFER1')).toBe('applied');
    expect(await closed()).toBe('applied');
    expect(await state()).toBe('succeeded');
  });

  it('under another reference changes nothing', async () => {
    await shop.pay('k');
    expect(await closed('OFFER2')).toBe('applied');
    expect(await state()).toBe('requires_action');
  });

  it('gives back what is charged after all', async () => {
    await shop.pay('k');
    await closed();
    const cancelled: unknown[] = [];
    kit.processor.answers.cancel = async (_connection, { upstream }) => {
      cancelled.push(upstream);
      return { kind: 'cancelled' };
    };
    expect(await settled('OFFER1')).toBe('applied');
    expect(cancelled).toEqual([{ psp: 'OFFER1' }]);
    expect(await state()).toBe('failed 3ds_abandoned');
  });
});
