import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { recoverPayments } from '../payments/operations/recoveries.ts';
import { cardPayment, createMoneyKit, type MoneyKit, noAnswer, Shop } from '../payments/test-kit.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { approvalForCapture } from './ask.ts';
import { decide } from './decide.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { findApproval } from './store.ts';
import { approvalRuns } from './sweeps.ts';

let kit: MoneyKit;
let shop: Shop;
let deps: ApprovalDependencies;
let payment: string;
let approval: string;

beforeAll(async () => {
  kit = await createMoneyKit();
  deps = {
    db: kit.db,
    clock: kit.clock,
    randomBytes,
    isKeyTaken: kit.refunds.isKeyTaken,
    refunds: kit.refunds,
    mail: { db: kit.db, clock: kit.clock, randomBytes, sends: false },
    release: async () => {},
    write: JSON.stringify,
    wake: () => {},
    onIncident: () => {},
  } as unknown as ApprovalDependencies;
});
afterAll(() => kit.drop());

const upstream = { order: 'ORDER1', authorization: 'AUTH1' };
const captured = async () =>
  ({ kind: 'succeeded', facts: idsOnly({ ...upstream, capture: 'CAPTURE1' }) }) as const;

/** Opens a shop with an authorized payment and an approved capture that the processor does not answer. */
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  const deadlines = { guaranteedUntil: null, expires: null };
  const hold = { kind: 'authorized', facts: idsOnly(upstream), deadlines } as const;
  kit.processor.answers = {
    charge: async () => hold,
    lookUp: async () => hold,
    capture: async () => noAnswer,
  };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  ({ id: payment } = await shop.paymentOf('k'));
  const restriction = { permissions: ['payments:*'], approval_above: 100 } as never;
  const waits = await approvalForCapture(
    deps,
    shop.context({ restriction }),
    {},
    { paymentId: payment, claim: null, resumes: null },
  );
  if (waits === null || !('text' in waits)) throw new Error('the capture does not wait');
  ({ id: approval } = JSON.parse(waits.text) as { id: string });
  await decide(deps, kit.db, shop.context(), approval, { status: 'approved', by: 'member', reason: null });
});

async function run(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await approvalRuns(deps).run();
    kit.clock.move(3_600_000);
  }
}

const approvalNow = () => findApproval(kit.db, shop.context(), approval);
const statusOfPayment = async () => (await kit.payments.store.find(shop.context(), payment))?.status;

async function expectCaptured(): Promise<void> {
  expect(await approvalNow()).toMatchObject({ failure_code: null });
  kit.processor.answers.capture = captured;
  await recoverPayments(kit.payments);
  expect(await statusOfPayment()).toBe('succeeded');
  await run(1);
  expect(await approvalNow()).toMatchObject({ failure_code: null, run_at: null });
}

it('an approved capture without an answer does not fail while recovery asks for it', async () => {
  await run(30);
  await expectCaptured();
});

it('an approved capture without an answer does not fail where a further try is refused', async () => {
  await run(1);
  await kit.db.query({
    text: 'update payments set authorization_expires = $2 where id = $1',
    values: [payment, kit.clock.now()],
    scope: 'everybody',
  });
  await run(1);
  await expectCaptured();
});
