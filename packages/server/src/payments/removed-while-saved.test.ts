import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recoverRemovals, removePaymentMethod } from '../payment-methods/remove-payment-method.ts';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { attachLateToken } from './notifications/attach-method.ts';
import { cardPayment, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
let customer: string;
let method: string;
let token: string;
/** The tokens that the processor was asked to forget, and whether it still has the token under test. */
let removals: string[];
let isKept: boolean;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const save = (key: string): Promise<{ status: number; text: string }> => {
  const request: PaymentCreate = { ...cardPayment, customer, save_payment_method: true };
  return shop.pay(key, {}, request);
};
const remove = () => removePaymentMethod(kit.payments.methods, shop.context(), method, null);
const saved = async (): Promise<ChargeOutcome> => {
  isKept = true;
  return {
    kind: 'succeeded',
    facts: { ...idsOnly({ psp: 'PSP1' }), saved: { token, upstreamCustomer: null } },
  };
};
const methods = async () =>
  (await kit.payments.methods.store.list(shop.context(), customer, 1, 10)).rows.map(({ id }) => id);
const methodOf = ({ text }: { text: string }): string | null => JSON.parse(text).payment_method_id;
const laterRemovals = async () => {
  kit.clock.move(10_000);
  await recoverRemovals(kit.payments.methods);
};

let shops = 0;

beforeEach(async () => {
  shop = await Shop.open(kit);
  shops += 1;
  token = `TOKEN${shops}`;
  removals = [];
  kit.processor.answers = {
    charge: saved,
    removeInstrument: async (_connection, request) => {
      if (request.token === token) {
        removals.push(request.upstreamKey);
        isKept = false;
      }
      return { kind: 'removed' };
    },
  };
  const request: PaymentCreate = {
    ...cardPayment,
    customer: { email: 'a@shop.example' },
    save_payment_method: true,
  };
  const first = JSON.parse((await shop.pay('k', {}, request)).text);
  customer = first.customer;
  method = first.payment_method_id;
  kit.clock.move(1000);
});

describe('a saved card that is removed while the same card is being saved again, without an answer', () => {
  beforeEach(async () => {
    kit.processor.answers.charge = async () => {
      await saved();
      return noAnswer;
    };
    await save('again');
    kit.clock.move(1000);
    await remove();
    expect(removals).toEqual([`${method}:r`]);
  });

  it('is no method of the payment whose answer comes after it was forgotten upstream', async () => {
    kit.processor.answers.charge = async () => ({
      kind: 'succeeded',
      facts: { ...idsOnly({ psp: 'PSP1' }), saved: { token, upstreamCustomer: null } },
    });
    const answer = await save('again');
    expect([answer.status, methodOf(answer)]).toEqual([201, null]);
    expect(await methods()).toEqual([]);
    expect(isKept).toBe(false);
  });

  it('is removed upstream once more, where the retry has saved it there again', async () => {
    kit.processor.answers.charge = saved;
    expect(methodOf(await save('again'))).toBeNull();
    expect(isKept).toBe(true);
    await laterRemovals();
    expect(isKept).toBe(false);
    expect(new Set(removals).size).toBe(2);
    await laterRemovals();
    expect(removals).toHaveLength(2);
  });

  it('is no method either where the token is notified later', async () => {
    kit.processor.answers.charge = async () => ({ kind: 'succeeded', facts: idsOnly({ psp: 'PSP1' }) });
    await save('again');
    const { id: paymentId } = await shop.paymentOf('again');
    const effect = {
      kind: 'instrument_saved',
      paymentId,
      payment: {},
      saved: { token, upstreamCustomer: null },
    } as const;
    expect(await attachLateToken(kit.payments, shop.context(), effect, null)).toBe('applied');
    expect(await methods()).toEqual([]);
  });

  it('is a new method once a payment that began later saves it', async () => {
    kit.clock.move(1000);
    kit.processor.answers.charge = saved;
    const id = methodOf(await save('third'));
    expect(await methods()).toEqual([id]);
    await laterRemovals();
    expect(isKept).toBe(true);
  });
});

it('a card whose removal waits for the processor is kept there where a payment in doubt saved it again', async () => {
  kit.processor.answers.charge = async () => noAnswer;
  await save('again');
  kit.processor.answers.removeInstrument = async () => noAnswer;
  await remove();
  kit.processor.answers.charge = saved;
  const id = methodOf(await save('again'));
  expect(await methods()).toEqual([id]);
  kit.processor.answers.removeInstrument = async () => ({ kind: 'removed' });
  await laterRemovals();
  expect(isKept).toBe(true);
});

it('a card that is saved while the processor forgets it cannot be charged', async () => {
  kit.processor.answers.charge = async () => noAnswer;
  await save('again');
  kit.processor.answers.removeInstrument = async () => {
    kit.processor.answers.charge = saved;
    await save('again');
    return { kind: 'removed' };
  };
  await remove();
  const [id = ''] = await methods();
  expect((await kit.payments.methods.store.find(shop.context(), id))?.gone_at).not.toBeNull();
});
