import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SettledOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { capturePayment } from './operations/capture.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const upstream = { order: 'ORDER1', authorization: 'AUTH1' };
const hold: SettledOutcome = {
  kind: 'authorized',
  facts: idsOnly(upstream),
  deadlines: { guaranteedUntil: null, expires: null },
};
const changed = { kind: 'changed', upstream } as const;

/** Makes a payment whose capture the issuer declined and whose hold still exists. @returns its id */
async function declinedCapture(): Promise<string> {
  kit.processor.answers = {
    charge: async () => hold,
    capture: async () => ({ kind: 'declined', code: 'declined', facts: idsOnly(upstream) }),
    lookUp: async () => hold,
  };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  await capturePayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
  kit.incidents.length = 0;
  return id;
}

describe('a hold that is still open upstream after its capture was declined', () => {
  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_b');
  });

  it('no alert before its release, and it is checked again until then', async () => {
    const id = await declinedCapture();
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, changed)).toBe('later');
    kit.processor.answers.cancel = async () => ({ kind: 'cancelled' });
    await recoverPayments(kit.payments);
    kit.processor.answers.lookUp = async () => ({ kind: 'voided' });
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, changed)).toBe('applied');
    expect(kit.incidents).toEqual([]);
  });

  it('is released where no operation is doing so any more', async () => {
    const id = await declinedCapture();
    let released = 0;
    kit.processor.answers.cancel = async () => {
      released += 1;
      return { kind: 'cancelled' };
    };
    await recoverPayments(kit.payments);
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, changed)).toBe('applied');
    expect(released).toBe(2);
    expect(kit.incidents).toEqual([]);
  });

  it('remains an alert where it was charged, or is another hold', async () => {
    const id = await declinedCapture();
    kit.processor.answers.cancel = async () => ({ kind: 'cancelled' });
    await recoverPayments(kit.payments);
    const settled = (outcome: SettledOutcome) =>
      applyPaymentUpdate(kit.payments, shop.context(), id, {
        kind: 'settled',
        outcome,
        amount: 4990,
        currency: 'EUR',
      });
    await settled({ ...hold, facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH2' }) });
    await settled(chargedAs('PSP1'));
    expect(kit.incidents).toEqual(Array(2).fill('charged upstream after it failed here'));
  });
});
