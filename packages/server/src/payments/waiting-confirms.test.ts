import type { ApiError } from '@till/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../processor-notifications/test-kit.ts';
import type { SettledOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { confirmPayment } from './operations/confirm.ts';
import { chargedAs, createMoneyKit, type MoneyKit, Shop, walletPayment } from './test-kit.ts';

const maxWaiters = 10;

let kit: MoneyKit;
let shop: Shop;
let payment: string;
/** Makes the processor answer the waiting confirm. */
let answerConfirm: (outcome: SettledOutcome) => void;
let asked: string[];

beforeAll(async () => {
  kit = await createMoneyKit();
});
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  kit.clock.whileWaiting = async () => {};
  asked = [];
  const answered = new Promise<SettledOutcome>((resolve) => {
    answerConfirm = resolve;
  });
  kit.processor.answers = {
    charge: async () => ({
      kind: 'requires_action',
      action: 'processor_b_wallet',
      redirectUrl: 'https://wallet.example/approve',
      facts: idsOnly({ order: 'ORDER1' }),
    }),
    confirm: (_connection, { paymentId }) => {
      asked.push(paymentId);
      return answered;
    },
  };
  payment = await open('k');
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => kit.drop());

/** Makes a payment that waits for its buyer. @returns its id */
async function open(key: string): Promise<string> {
  await shop.pay(key, {}, walletPayment);
  return (await shop.paymentOf(key)).id;
}

/** Confirms the payment. @returns the HTTP status of the answer, or the code of the error */
const confirm = (id = payment) =>
  confirmPayment(kit.payments, shop.context(), id, { claim: null, resumes: null }).then(
    (answer) => ('status' in answer ? answer.status : 'lost'),
    (error: unknown) => (error as ApiError).code,
  );

it('a confirm that waits for another one only reads until that one has ended', async () => {
  const first = confirm();
  await until('the processor is asked', async () => asked.length === 1);
  const { operations } = kit.payments;
  const writes = [
    vi.spyOn(operations, 'begin'),
    vi.spyOn(operations, 'takeOver'),
    vi.spyOn(operations, 'expedite'),
  ];
  const writesAtLook: number[][] = [];
  kit.clock.whileWaiting = async () => {
    writesAtLook.push(writes.map(({ mock }) => mock.calls.length));
    if (writesAtLook.length < 6) return;
    answerConfirm(chargedAs('PSP1'));
    await first;
  };
  expect(await confirm()).toBe(200);
  expect(await first).toBe(200);
  expect(writesAtLook).toEqual(Array.from({ length: 6 }, () => [1, 1, 1]));
  expect(writes.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
});

it('503 provider_unavailable for the eleventh waiting confirm, before anything is written; the others are answered', async () => {
  const first = confirm();
  await until('the processor is asked', async () => asked.length === 1);
  const waits = vi.fn();
  kit.clock.whileWaiting = async () => {
    waits();
    await first;
  };
  const waiting = Array.from({ length: maxWaiters }, () => confirm());
  await until('all wait', async () => waits.mock.calls.length === maxWaiters);
  const begin = vi.spyOn(kit.payments.operations, 'begin');
  expect(await confirm()).toBe('provider_unavailable');
  expect(begin).not.toHaveBeenCalled();
  const other = await open('other');
  const beside = confirm(other);
  await until('the other is asked too', async () => asked.length === 2);
  answerConfirm(chargedAs('PSP1'));
  expect(await Promise.all([first, beside, ...waiting])).toEqual(
    Array.from({ length: maxWaiters + 2 }, () => 200),
  );
  expect(asked).toEqual([payment, other]);
});

it('a confirm resumes the operation that was left without an answer while it waited', async () => {
  kit.processor.answers.confirm = async () => {
    asked.push(payment);
    return asked.length === 1
      ? { kind: 'unknown', answer: 'provider_unavailable', reason: 'test' }
      : chargedAs('PSP1');
  };
  const { operations } = kit.payments;
  const current = await shop.paymentOf('k');
  const lease = { ...kit.payments.lease(), until: new Date(kit.clock.now().getTime() + 10_000) };
  await operations.begin({
    subject: current,
    kind: 'confirm',
    upstreamKey: `${payment}:f:0`,
    at: kit.clock.now(),
    lease,
    claim: null,
  });
  let looks = 0;
  kit.clock.whileWaiting = async () => {
    looks += 1;
    if (looks === 3) await operations.leaveUnknown(current, lease.until, kit.clock.now());
  };
  expect(await confirm()).toBe('provider_unavailable');
  expect(asked).toHaveLength(1);
  expect(looks).toBe(3);
  expect(await confirm()).toBe(200);
});
