import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentRow } from '../payments/payment.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from '../payments/test-kit.ts';
import { applyRefundUpdate } from './apply-notification.ts';
import { createRefund } from './create-refund.ts';
import { recoverRefunds } from './refund.ts';
import { refundableOf } from './refundable.ts';

let kit: MoneyKit;
let shop: Shop;
let payment: PaymentRow;

const first = 'live:One';
const second = 'live:Two';

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  kit.processor.identity = first;
  kit.processor.answers = { charge: async () => chargedAs('PSP1') };
  shop = await Shop.open(kit, 'processor_b');
  await shop.pay('k');
  payment = await shop.paymentOf('k');
});

const refund = (resumes: string | null = null) =>
  createRefund(kit.refunds, shop.context(), {
    paymentId: payment.id,
    request: {},
    claim: null,
    resumes,
  }).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );
const only = async () => (await kit.refunds.store.list(shop.context(), payment.id, 1, 1)).rows[0];

/** Connects another merchant account, which does not know the payment. */
function replace() {
  const asked: string[] = [];
  kit.processor.identity = second;
  kit.processor.answers.refund = async () => {
    asked.push('refund');
    return { kind: 'failed', upstreamId: null, failure: { code: 'unknown', message: 'not known here' } };
  };
  return { asked };
}

function restore(): void {
  kit.processor.identity = first;
  kit.processor.answers.refund = async () => ({ kind: 'succeeded', upstreamId: 'R1' });
}

async function passTwoHours(): Promise<void> {
  for (let passed = 0; passed < 120; passed += 5) {
    kit.clock.move(5 * 60_000);
    await recoverRefunds(kit.refunds);
  }
}

describe('an open refund at a merchant account that was replaced', () => {
  beforeEach(async () => {
    kit.processor.answers.refund = async () => noAnswer;
    await refund();
  });

  it('waits for its credentials: no other account settles it', async () => {
    const { asked } = replace();
    await passTwoHours();
    expect(asked).toEqual([]);
    expect(await only()).toMatchObject({ status: 'pending', processor_identity: first });
    expect(kit.incidents.join()).toContain('waits for the credentials');
    restore();
    await passTwoHours();
    expect(await only()).toMatchObject({ status: 'succeeded', upstream_id: 'R1' });
  });

  it('503 for its retry, which asks nothing of the processor', async () => {
    const { asked } = replace();
    expect(await refund((await only())?.id)).toBe('provider_unavailable');
    expect(asked).toEqual([]);
    restore();
    expect(await refund((await only())?.id)).toBe('done');
  });

  it('is not settled by a notification of another merchant account', async () => {
    const pending = await only();
    const update = {
      kind: 'refund_settled',
      refundId: pending?.id ?? '',
      upstreamId: 'R9',
      paymentId: null,
      payment: {},
      amount: payment.amount,
      currency: payment.currency,
      outcome: { code: 'refused', message: 'refused' },
    } as const;
    expect(await applyRefundUpdate(kit.refunds, shop.context(), update, second)).toBe('later');
    expect(await only()).toMatchObject({ status: 'pending' });
    expect(await applyRefundUpdate(kit.refunds, shop.context(), update, first)).toBe('applied');
    expect(await only()).toMatchObject({ status: 'failed' });
  });
});

it.each([
  ['processor_a', 5, 8],
  ['processor_b', 43, 46],
] as const)(
  'a retry is sent again only while %s remembers the key: after %i days, not after %i',
  async (processor, soon, late) => {
    shop = await Shop.open(kit, processor);
    await shop.pay('k');
    payment = await shop.paymentOf('k');
    let asked = 0;
    kit.processor.answers.refund = async () => {
      asked += 1;
      return noAnswer;
    };
    expect(await refund()).toBe('provider_unavailable');
    const id = (await only())?.id ?? '';
    kit.clock.move(soon * 24 * 3_600_000);
    await refund(id);
    expect(asked).toBe(2);
    kit.clock.move((late - soon) * 24 * 3_600_000);
    expect(await refund(id)).toBe('provider_unavailable');
    expect(asked).toBe(2);
    expect(await only()).toMatchObject({ id, status: 'pending' });
  },
);

it('422 provider_not_configured for a payment of another merchant account: no refund is recorded', async () => {
  const { asked } = replace();
  expect(await refund()).toBe('provider_not_configured');
  expect(asked).toEqual([]);
  expect(await only()).toBeUndefined();
});

it('a refund made in the dashboard of another merchant account does not count against the payment', async () => {
  const update = {
    kind: 'refund_settled',
    refundId: null,
    upstreamId: 'R9',
    paymentId: payment.id,
    payment: {},
    amount: 1000,
    currency: 'EUR',
    outcome: 'succeeded',
  } as const;
  expect(await applyRefundUpdate(kit.refunds, shop.context(), update, second)).toBe('later');
  expect((await refundableOf(kit.db, payment)).refunded).toBe(0);
});
