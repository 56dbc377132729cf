import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessorPort, SettledOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { capturePayment } from './operations/capture.ts';
import { confirmPayment } from './operations/confirm.ts';
import { expirePayments } from './operations/expire.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { voidPayment } from './operations/void.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

const first = 'live:One';
const second = 'live:Two';

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  kit.processor.identity = first;
  kit.incidents.length = 0;
  shop = await Shop.open(kit, 'processor_b');
});

const held: SettledOutcome = {
  kind: 'authorized',
  facts: idsOnly({ order: 'O1', authorization: 'AU1' }),
  deadlines: { guaranteedUntil: null, expires: null },
};
const challenged = async () =>
  ({
    kind: 'requires_action',
    action: 'processor_b_payer_action',
    redirectUrl: 'https://bank.example',
    facts: idsOnly({ order: 'O1' }),
  }) as const;
/** The answers of another merchant account, which knows nothing about our payments. */
const knowsNothing: MoneyKit['processor']['answers'] = {
  charge: async () => chargedAs('SECOND-CHARGE'),
  lookUp: async () => ({ kind: 'nothing' }),
  capture: async () => ({ kind: 'hold_gone' }),
  void: async () => ({ kind: 'voided' }),
  cancel: async () => ({ kind: 'cancelled' }),
};

/** Switches the connection to another merchant account. @returns the requests that this one gets */
function replace(): { asked: string[] } {
  const asked: string[] = [];
  kit.processor.identity = second;
  kit.processor.answers = Object.fromEntries(
    Object.entries(knowsNothing).map(([name, answer]) => [
      name,
      (...call: unknown[]) => {
        asked.push(name);
        return (answer as (...args: unknown[]) => unknown)(...call);
      },
    ]),
  );
  return { asked };
}

/** Switches the connection back. */
function restore(answers: MoneyKit['processor']['answers']): void {
  kit.processor.identity = first;
  kit.processor.answers = answers;
}

/** Lets two hours pass and runs recovery every five minutes. */
async function passTwoHours(): Promise<void> {
  for (let passed = 0; passed < 120; passed += 5) {
    kit.clock.move(5 * 60_000);
    await recoverPayments(kit.payments);
  }
}

async function triesOf(id: string): Promise<number | undefined> {
  const [row] = await kit.db.query<{ tries: number }>({
    text: 'select tries from operations where tenant in (select tenant from tenants where account_id = $1) and subject = $2',
    values: [shop.context().accountId, id],
    scope: 'everybody',
  });
  return row?.tries;
}

const idempotent = { claim: null, resumes: null };
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

/** For each kind, how a test leaves such an operation without an answer. The payment's key is `k`. */
const begun: Record<string, () => Promise<void>> = {
  async charge() {
    kit.processor.answers = { charge: async () => noAnswer };
    await shop.pay('k');
  },
  async confirm() {
    kit.processor.answers = { charge: challenged, confirm: async () => noAnswer };
    await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    await codeOf(confirmPayment(kit.payments, shop.context(), id, idempotent));
  },
  async capture() {
    kit.processor.answers = { charge: async () => held, capture: async () => noAnswer };
    await shop.pay('k');
    await codeOf(capturePayment(kit.payments, shop.context(), (await shop.paymentOf('k')).id, idempotent));
  },
  async void() {
    kit.processor.answers = { charge: async () => held, void: async () => noAnswer };
    await shop.pay('k');
    await codeOf(voidPayment(kit.payments, shop.context(), (await shop.paymentOf('k')).id, idempotent));
  },
};

describe('an operation in doubt whose merchant account was replaced', () => {
  it.each(Object.keys(begun))('waits for that account: %s', async (kind) => {
    await begun[kind]?.();
    const before = await shop.paymentOf('k');
    const { asked } = replace();
    await passTwoHours();
    expect(asked).toEqual([]);
    expect(await shop.paymentOf('k')).toEqual(before);
    expect(await kit.payments.operations.isOpen(before)).toBe(true);
    expect(kit.incidents.join()).toContain('waits for the credentials');
    // Recovery looked after 5 and 40 seconds, 5 and 30 minutes, then hourly.
    expect(await triesOf(before.id)).toBeLessThanOrEqual(6);
  });

  it.each([
    ['charge', { charge: async () => chargedAs('PSP1') }, 'succeeded'],
    ['confirm', { lookUp: async () => chargedAs('PSP1') }, 'succeeded'],
    ['capture', { capture: async () => ({ kind: 'succeeded', facts: idsOnly({}) }) }, 'succeeded'],
    ['void', { void: async () => ({ kind: 'voided' }) }, 'voided'],
  ] as [string, Partial<ProcessorPort>, string][])(
    'is settled once the account is restored: %s',
    async (kind, answers, status) => {
      await begun[kind]?.();
      replace();
      await passTwoHours();
      restore(answers);
      await passTwoHours();
      expect(await shop.paymentOf('k')).toMatchObject({ status });
    },
  );

  it('no second charge for a retry under its key: 503, and 201 once it is restored', async () => {
    await begun.charge?.();
    const { asked } = replace();
    expect(await shop.pay('k')).toEqual({ status: 503, text: 'provider_unavailable' });
    expect(asked).toEqual([]);
    restore({ charge: async () => chargedAs('PSP1') });
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });
});

describe('a request about a payment of another merchant account', () => {
  it('422 provider_not_configured, and no operation is inserted', async () => {
    kit.processor.answers = { charge: async () => held };
    await shop.pay('k');
    const payment = await shop.paymentOf('k');
    const { asked } = replace();
    for (const operate of [capturePayment, voidPayment]) {
      expect(await codeOf(operate(kit.payments, shop.context(), payment.id, idempotent))).toBe(
        'provider_not_configured',
      );
    }
    expect(asked).toEqual([]);
    expect(await kit.payments.operations.isOpen(payment)).toBe(false);
  });

  it('503 for a repeat that got no answer, since it may have been carried out', async () => {
    await begun.capture?.();
    const { id } = await shop.paymentOf('k');
    replace();
    const repeat = capturePayment(kit.payments, shop.context(), id, { claim: null, resumes: id });
    expect(await codeOf(repeat)).toBe('provider_unavailable');
  });

  it('fails at our own deadline, and its order is cancelled at the account where it was made', async () => {
    kit.processor.answers = { charge: challenged };
    await shop.pay('k');
    const { asked } = replace();
    kit.clock.move(16 * 60_000);
    await expirePayments(kit.payments);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed', failure_code: '3ds_abandoned' });
    expect(asked).toEqual([]);
    let cancelled = 0;
    restore({
      cancel: async () => {
        cancelled += 1;
        return { kind: 'cancelled' };
      },
    });
    await passTwoHours();
    expect(cancelled).toBe(1);
  });
});

describe('a payment without a stored merchant account', () => {
  it('is asked about at the connected merchant account', async () => {
    kit.processor.answers = { charge: async () => held };
    await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    await kit.db.query({
      text: 'update payments set processor_identity = null where tenant in (select tenant from tenants where account_id = $1) and id = $2',
      values: [shop.context().accountId, id],
      scope: 'everybody',
    });
    replace();
    expect(await codeOf(voidPayment(kit.payments, shop.context(), id, idempotent))).toBe('done');
  });
});

describe('a notification of another merchant account', () => {
  it('is deferred and settles nothing', async () => {
    await begun.charge?.();
    const { id } = await shop.paymentOf('k');
    const update = { kind: 'settled', outcome: chargedAs('PSP1'), amount: 4990, currency: 'EUR' } as const;
    const report = (sender: string) => applyPaymentUpdate(kit.payments, shop.context(), id, update, sender);
    expect(await report(second)).toBe('later');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    expect(await report(first)).toBe('applied');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded' });
  });

  it('looks nothing up where the connection is another one by now', async () => {
    await begun.charge?.();
    const { id } = await shop.paymentOf('k');
    const { asked } = replace();
    const update = { kind: 'changed', upstream: { order: 'O1' } } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update, first)).toBe('later');
    expect(asked).toEqual([]);
  });
});
