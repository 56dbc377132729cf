import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => noAnswer, cancel: async () => ({ kind: 'accepted' }) };
});

const seconds = (count: number) => kit.clock.move(count * 1000);

/** Lets the first minute pass and runs recovery every two seconds, like a server. */
async function passAMinute(): Promise<void> {
  for (let passed = 0; passed < 60; passed += 2) {
    seconds(2);
    await recoverPayments(kit.payments);
  }
}

const report = async (key: string, update: Parameters<typeof applyPaymentUpdate>[3]) =>
  applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf(key)).id, update);

const authorised = { kind: 'settled', outcome: chargedAs('PSP1'), amount: 4990, currency: 'EUR' } as const;

describe('a processor_a charge with a pending cancellation', () => {
  it('is not reported as succeeded before the cancellation is', async () => {
    await shop.pay('k');
    await passAMinute();
    expect(await report('k', authorised)).toBe('later');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    expect(await report('k', { kind: 'cancelled' })).toBe('applied');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed', failure_code: 'not_processed' });
  });

  it('is not charged by a retry before the cancellation is reported', async () => {
    await shop.pay('k');
    await passAMinute();
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    await report('k', { kind: 'cancelled' });
    expect(await shop.pay('k')).toMatchObject({ status: 200 });
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed' });
  });

  it('succeeds once the processor reports that the cancellation failed', async () => {
    await shop.pay('k');
    await passAMinute();
    expect(await report('k', authorised)).toBe('later');
    expect(await report('k', { kind: 'not_cancelled' })).toBe('applied');
    expect(await report('k', authorised)).toBe('applied');
    const { id, status } = await shop.paymentOf('k');
    expect(status).toBe('succeeded');
    expect(await shop.eventsOf(id)).toEqual(['payment.succeeded']);
  });

  it('is resumed by a retry where the cancellation failed', async () => {
    await shop.pay('k');
    await passAMinute();
    await report('k', { kind: 'not_cancelled' });
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('is resumed by a retry where the cancellation request certainly did not arrive', async () => {
    kit.processor.answers.cancel = async () => ({ ...noAnswer, kind: 'not_executed' });
    await shop.pay('k');
    await passAMinute();
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('recovery asks again at once when a retry waits for it', async () => {
    kit.processor.answers.cancel = async () => noAnswer;
    await shop.pay('k');
    await passAMinute();
    let asked = 0;
    kit.processor.answers.cancel = async () => {
      asked += 1;
      return { kind: 'accepted' };
    };
    await shop.pay('k');
    await recoverPayments(kit.payments);
    expect(asked).toBe(1);
  });

  it('fails for the reason that the processor reports meanwhile', async () => {
    await shop.pay('k');
    await passAMinute();
    const outcome = { kind: 'declined', code: 'do_not_honor', facts: idsOnly({ psp: 'PSP1' }) } as const;
    expect(await report('k', { ...authorised, outcome })).toBe('applied');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed', failure_code: 'do_not_honor' });
  });
});

describe('the first minute after a charge without an answer', () => {
  it('recovery leaves the charge to retries', async () => {
    let cancelled = 0;
    kit.processor.answers.cancel = async () => {
      cancelled += 1;
      return { kind: 'accepted' };
    };
    for (let passed = 0; passed < 40; passed += 2) {
      if ([0, 2, 20].includes(passed)) expect(await shop.pay('k')).toMatchObject({ status: 503 });
      seconds(2);
      await recoverPayments(kit.payments);
    }
    expect(cancelled).toBe(0);
    await passAMinute();
    expect(cancelled).toBe(1);
  });
});

describe('a charge under another reference after the payment failed', () => {
  it('is refunded under that reference, also where the first request got no answer', async () => {
    kit.processor.answers.charge = async () => ({
      kind: 'declined',
      code: 'declined',
      facts: idsOnly({ psp: 'PSP1' }),
    });
    await shop.pay('k');
    const reversed: (string | undefined)[] = [];
    kit.processor.answers.cancel = async (_connection, { upstream }) => {
      reversed.push(upstream.psp);
      return reversed.length === 1 ? noAnswer : { kind: 'accepted' };
    };
    expect(await report('k', { ...authorised, outcome: chargedAs('PSP2') })).toBe('applied');
    await passAMinute();
    expect(reversed).toEqual(['PSP2', 'PSP2']);
  });
});

describe('a retry after recovery found the outcome', () => {
  it('gets that outcome, whatever has changed for new payments since', async () => {
    await shop.pay('k');
    await report('k', authorised);
    const connection = { connected: false, threeDSecure: 'off' } as const;
    expect(await shop.pay('k', { connection })).toMatchObject({ status: 201 });
  });

  it('is not answered as a decline while the outcome is unknown', async () => {
    await shop.pay('k');
    const connection = { connected: false, threeDSecure: 'off' } as const;
    expect(await shop.pay('k', { connection })).toMatchObject({ status: 503 });
  });
});
