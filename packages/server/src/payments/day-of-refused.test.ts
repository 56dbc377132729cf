import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { idsOnly } from '../processors/upstream/facts.ts';
import { capturePayment } from './operations/capture.ts';
import { recoverPayments } from './operations/recoveries.ts';
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

/** Longer than any lease. */
const leaseMs = 3_600_000;

const restriction = {
  permissions: ['payments:*'],
  ends_at: null,
  addresses: [],
  max_amount: null,
  max_daily: 5000,
  approval_above: null,
} as never;

async function sumOfDay(): Promise<number> {
  const context = shop.context();
  const [row] = await kit.db.query<{ amount: number }>({
    text: 'select amount from api_key_days where tenant = $1',
    values: [context.tenant],
    scope: context,
  });
  return row?.amount ?? 0;
}

it.each([
  ['that was not carried out', { kind: 'not_executed', answer: 'provider_unavailable', reason: 'no route' }],
  [
    'of which a field is refused',
    {
      kind: 'not_executed',
      answer: 'provider_error',
      reason: 'no',
      error: { status: 422, code: 'X', param: 'currency' },
    },
  ],
  ['whose method cannot be saved', { kind: 'cannot_save', facts: idsOnly({}) }],
  ['that nobody can approve', { kind: 'missing_approval_url', facts: idsOnly({ order: 'ORDER1' }) }],
] as const)('a payment %s does not count for the day of its key', async (_which, outcome) => {
  kit.processor.answers = { charge: async () => outcome };
  for (const key of ['a', 'b', 'c']) await shop.pay(key, { restriction }, { ...cardPayment, amount: 2000 });
  expect(await sumOfDay()).toBe(0);
});

const hold = {
  kind: 'authorized',
  facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1' }),
  deadlines: { guaranteedUntil: null, expires: null },
} as const;
const collected = {
  kind: 'succeeded',
  facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1', capture: 'CAPTURE1' }),
} as const;

/** Makes a payment with a hold of 40.00. @returns its id */
async function heldPayment(): Promise<string> {
  kit.processor.answers = { charge: async () => hold };
  await shop.pay('hold', {}, { ...cardPayment, capture_method: 'manual', amount: 4000 });
  return (await shop.paymentOf('hold')).id;
}

/** Captures a payment; all calls use the same idempotency key. */
async function capture(id: string) {
  const context = shop.context({ restriction });
  const found = await kit.idempotency.find(context, { scope: `POST /capture/${id}`, key: 'c', body: {} });
  if (found.kind === 'replay') throw new Error('it has its answer already');
  const resumes = found.kind === 'resume' ? found.resourceId : null;
  try {
    return await capturePayment(kit.payments, context, id, { claim: found.claim, resumes });
  } finally {
    await kit.idempotency.release(context, found.claim);
  }
}

it('a capture that is refused counts where a repeat with its key may capture', async () => {
  const id = await heldPayment();
  kit.processor.answers.capture = async () => ({ kind: 'hold_gone' }) as never;
  await expect(capture(id)).rejects.toMatchObject({ status: 422 });
  kit.processor.answers.capture = async () => collected;
  expect(await capture(id)).toMatchObject({ status: 200 });
  expect(await sumOfDay()).toBe(4000);
});

it('a capture whose repeat was answered while the processor was asked counts once', async () => {
  const id = await heldPayment();
  kit.processor.answers.capture = async () => {
    kit.processor.answers.capture = async () => collected;
    kit.clock.move(leaseMs);
    await recoverPayments(kit.payments);
    expect(await capture(id)).toMatchObject({ status: 200 });
    return collected;
  };
  expect(await capture(id)).toEqual({ keyTaken: true });
  expect(await sumOfDay()).toBe(4000);
});

it('a repeat of a capture that recovery found declined is answered with the failed payment', async () => {
  const id = await heldPayment();
  kit.processor.answers.capture = async () => noAnswer;
  await expect(capture(id)).rejects.toMatchObject({ status: 503 });
  kit.processor.answers = {
    capture: async () => ({ kind: 'declined', code: 'declined', facts: idsOnly({}) }),
    cancel: async () => ({ kind: 'cancelled' }),
  };
  kit.clock.move(leaseMs);
  await recoverPayments(kit.payments);
  expect((await shop.paymentOf('hold')).status).toBe('failed');
  expect(await capture(id)).toMatchObject({ status: 200 });
});
