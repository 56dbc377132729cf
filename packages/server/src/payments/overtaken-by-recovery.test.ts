import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { idsOnly } from '../processors/upstream/facts.ts';
import { capturePayment } from './operations/capture.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { voidPayment } from './operations/void.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

const upstream = { order: 'ORDER1', authorization: 'AUTH1' };
const hour = 3_600_000;

let kit: MoneyKit;
let shop: Shop;
let id: string;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  const deadlines = { guaranteedUntil: null, expires: null };
  const hold = { kind: 'authorized', facts: idsOnly(upstream), deadlines } as const;
  kit.processor.answers = { charge: async () => hold };
  await shop.pay('hold', {}, { ...cardPayment, capture_method: 'manual' });
  ({ id } = await shop.paymentOf('hold'));
});

/** The lease of a request ends while it waits for the processor. Recovery asks too and commits first. */
async function overtakenBy<T>(answer: T): Promise<T> {
  kit.clock.move(hour);
  const again = async () => answer as never;
  Object.assign(kit.processor.answers, { void: again, capture: again });
  await recoverPayments(kit.payments);
  return answer;
}

async function claimed(key: string) {
  const found = await kit.idempotency.find(shop.context(), { scope: `POST /${id}`, key, body: {} });
  if (found.kind !== 'new') throw new Error(found.kind);
  return { claim: found.claim, resumes: null };
}

it('a void that recovery finished meanwhile is answered as voided, also to a repeat', async () => {
  kit.processor.answers.void = () => overtakenBy({ kind: 'voided' });
  const answer = await voidPayment(kit.payments, shop.context(), id, await claimed('k'));
  expect(JSON.parse('text' in answer ? answer.text : '{}')).toMatchObject({ status: 'voided' });
  const repeat = await kit.idempotency.find(shop.context(), { scope: `POST /${id}`, key: 'k', body: {} });
  expect(repeat).toMatchObject({ kind: 'replay', status: 200 });
});

it('a capture that recovery finished meanwhile is answered as captured', async () => {
  const captured = { kind: 'succeeded', facts: idsOnly({ ...upstream, capture: 'CAPTURE1' }) } as const;
  kit.processor.answers.capture = () => overtakenBy(captured);
  const answer = await capturePayment(kit.payments, shop.context(), id, await claimed('k'));
  expect(JSON.parse('text' in answer ? answer.text : '{}')).toMatchObject({ status: 'succeeded' });
});
