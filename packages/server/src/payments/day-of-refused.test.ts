import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { idsOnly } from '../processors/upstream/facts.ts';
import { capturePayment } from './operations/capture.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
});

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

it('a capture that is refused counts where a repeat with its key may capture', async () => {
  const hold = {
    kind: 'authorized',
    facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1' }),
    deadlines: { guaranteedUntil: null, expires: null },
  } as const;
  kit.processor.answers = { charge: async () => hold, capture: async () => ({ kind: 'hold_gone' }) as never };
  await shop.pay('hold', {}, { ...cardPayment, capture_method: 'manual', amount: 4000 });
  const { id } = await shop.paymentOf('hold');
  const capture = async () => {
    const context = shop.context({ restriction });
    const found = await kit.idempotency.find(context, { scope: `POST /capture/${id}`, key: 'c', body: {} });
    if (found.kind === 'replay') throw new Error('it has its answer already');
    const resumes = found.kind === 'resume' ? found.resourceId : null;
    try {
      return await capturePayment(kit.payments, context, id, { claim: found.claim, resumes });
    } finally {
      await kit.idempotency.release(context, found.claim);
    }
  };
  await expect(capture()).rejects.toMatchObject({ status: 422 });
  kit.processor.answers.capture = async () => ({
    kind: 'succeeded',
    facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1', capture: 'CAPTURE1' }),
  });
  expect(await capture()).toMatchObject({ status: 200 });
  expect(await sumOfDay()).toBe(4000);
});
