import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChargeOutcome, ConfirmRequest } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { noteReturn } from './note-return.ts';
import { confirmPayment, notApproved } from './operations/confirm.ts';
import { finishExpiry } from './operations/expire.ts';
import { cancelKey } from './operations/payment-access.ts';
import type { PaymentRow } from './payment.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
let payment: PaymentRow;

const waiting: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_a_redirect',
  redirectUrl: 'https://bank.example/challenge',
  facts: idsOnly({ psp: 'PSP1' }),
};
const first = { redirectResult: 'first' };
const second = { redirectResult: 'second' };

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => waiting };
  await shop.pay('k');
  payment = await shop.paymentOf('k');
});

const comeBack = (brought: Record<string, string>) =>
  noteReturn(kit.payments, shop.context(), payment, brought);
const confirm = () =>
  confirmPayment(kit.payments, shop.context(), payment.id, { claim: null, resumes: null });

it('is kept for the next confirm where the running one began without it', async () => {
  const asked: ConfirmRequest[] = [];
  kit.processor.answers.confirm = async (_connection, request) => {
    asked.push(request);
    if (request.returned !== null) return chargedAs('PSP1');
    expect((await comeBack(first)).returned).toEqual([first]);
    return { kind: 'not_approved', redirectUrl: null };
  };
  await expect(confirm()).rejects.toThrow(notApproved);
  expect(await confirm()).toMatchObject({ status: 200 });
  expect(asked.map(({ returned }) => returned)).toEqual([null, [first]]);
  expect(new Set(asked.map(({ upstreamKey }) => upstreamKey)).size).toBe(2);
});

it('does not change what the running operation asks', async () => {
  await comeBack(first);
  kit.processor.answers.confirm = async () => {
    expect((await comeBack(second)).returned).toEqual([first]);
    return chargedAs('PSP1');
  };
  expect(await confirm()).toMatchObject({ status: 200 });
  expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded', returned: [first] });
});

it.each([{}, { error: 'access_denied' }, { redirectResult: '' }])(
  'that proves nothing takes away no proof: %j',
  async (bare) => {
    await comeBack(first);
    expect((await comeBack(bare)).returned).toEqual([first]);
  },
);

it('that brings nothing is not kept', async () => {
  expect((await comeBack({})).returned).toBeNull();
});

it('with another proof keeps the earlier ones behind it, three in all, each once', async () => {
  await comeBack({ error: 'access_denied' });
  const proofs = ['one', 'two', 'one', 'three', 'four'].map((redirectResult) => ({ redirectResult }));
  for (const brought of proofs) await comeBack(brought);
  const { returned } = await shop.paymentOf('k');
  expect(returned?.map(({ redirectResult }) => redirectResult)).toEqual(['four', 'three', 'one']);
});

it('at the same moment as others loses none of their proofs', async () => {
  const proofs = ['one', 'two', 'three'].map((redirectResult) => ({ redirectResult }));
  await Promise.all(proofs.map(comeBack));
  expect((await shop.paymentOf('k')).returned).toHaveLength(3);
});

it('waits for a concurrent expiry, and then counts as too late', async () => {
  kit.clock.move(15 * 60_000);
  kit.processor.answers.cancel = async () => ({ kind: 'accepted' });
  const { operations } = kit.payments;
  const lease = kit.payments.lease();
  await operations.begin({
    subject: payment,
    kind: 'expire',
    upstreamKey: cancelKey(payment),
    at: kit.clock.now(),
    lease,
    claim: null,
  });
  kit.clock.whileWaiting = async () => {
    kit.clock.whileWaiting = async () => {};
    await finishExpiry(kit.payments, shop.context(), payment.id, lease.until);
  };
  expect(await comeBack(first)).toMatchObject({ status: 'failed', failure_code: '3ds_token_expired' });
  expect(await shop.eventsOf(payment.id)).toEqual(['payment.requires_action', 'payment.failed']);
});

it('a refusal by the processor counts as not approved, but not of a confirm that may have charged', async () => {
  await comeBack(first);
  kit.processor.answers.confirm = async () => ({ kind: 'not_approved', redirectUrl: null, refused: true });
  await expect(confirm()).rejects.toThrow(notApproved);
  kit.processor.answers.confirm = async () => noAnswer;
  await expect(confirm()).rejects.toMatchObject({ status: 503 });
  kit.processor.answers.confirm = async () => ({ kind: 'not_approved', redirectUrl: null, refused: true });
  await expect(confirm()).rejects.toMatchObject({ status: 502 });
  expect(await kit.payments.operations.isOpen(payment)).toBe(true);
});
