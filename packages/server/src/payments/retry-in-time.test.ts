import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../processor-notifications/test-kit.ts';
import type { ChargeOutcome, ChargeRequest } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop, walletPayment } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
});

const minute = 60;
const hour = 60 * minute;

/** Lets time pass and runs recovery every two seconds, like a server; for long times only every ten minutes. */
async function pass(seconds: number): Promise<void> {
  const step = seconds > 10 * minute ? 10 * minute : 2;
  for (let passed = 0; passed < seconds; passed += step) {
    kit.clock.move(step * 1000);
    await recoverPayments(kit.payments);
  }
}

const link = 'https://wallet.example/approve';
const offered = (order: string): ChargeOutcome => ({
  kind: 'requires_action',
  action: 'processor_b_wallet',
  redirectUrl: link,
  facts: idsOnly({ order }),
});

describe('a wallet payment whose order was created and its answer lost', () => {
  const pay = () => shop.pay('k', {}, walletPayment);

  beforeEach(async () => {
    kit.processor.answers = {
      charge: async () => noAnswer,
      lookUp: async () => ({ kind: 'open' }),
      cancel: async () => ({ kind: 'cancelled' }),
    };
    expect(await pay()).toMatchObject({ status: 503 });
    kit.processor.answers.charge = async () => offered('ORDER1');
  });

  it('is resumed by a repeat right after recovery’s first try, which holds no lease', async () => {
    await pass(6);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    expect(await pay()).toMatchObject({ status: 201 });
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'requires_action', redirect_url: link });
  });

  it('503 for a repeat while recovery is asking, and its outcome for the next one', async () => {
    const asked: ((outcome: ChargeOutcome) => void)[] = [];
    kit.processor.answers.charge = () => new Promise((resolve) => asked.push(resolve));
    await pass(10);
    kit.clock.move(minute * 1000);
    const recovered = recoverPayments(kit.payments);
    await until('recovery asks', async () => asked.length === 1);
    expect(await pay()).toMatchObject({ status: 503, text: 'provider_unavailable' });
    asked[0]?.(offered('ORDER1'));
    await recovered;
    expect(await pay()).toMatchObject({ status: 201 });
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'requires_action', redirect_url: link });
  });

  it('waits for its buyer within a minute without a repeat, and a later repeat gets that answer', async () => {
    await pass(minute);
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({
      status: 'requires_action',
      next_action: 'processor_b_wallet',
      redirect_url: link,
      upstream: { order: 'ORDER1' },
    });
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.requires_action']);
    const answer = await pay();
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.text)).toMatchObject({ id: payment.id, status: 'requires_action' });
  });

  it('keeps its minute for repeats whatever a notification reports of the order', async () => {
    let asked = 0;
    kit.processor.answers.charge = async () => {
      asked += 1;
      return offered('ORDER1');
    };
    const { id } = await shop.paymentOf('k');
    await pass(4);
    const update = { kind: 'changed', upstream: { order: 'ORDER1' } } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
    await pass(30);
    expect(asked).toBe(0);
    expect(await pay()).toMatchObject({ status: 201 });
  });

  it('fails as unconfirmed where the 15 minutes are over before its order is found', async () => {
    kit.processor.answers.charge = async () => noAnswer;
    await pass(16 * minute);
    kit.processor.answers.charge = async () => offered('ORDER1');
    await pass(hour);
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({ status: 'failed', failure_code: 'confirmation_expired' });
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.failed']);
  });

  it.each(['nothing', 'voided'] as const)(
    'fails as not_processed where the order is gone: %s',
    async (kind) => {
      kit.processor.answers.lookUp = async () => ({ kind });
      await pass(minute);
      expect(await shop.paymentOf('k')).toMatchObject({ status: 'failed', failure_code: 'not_processed' });
    },
  );
});

describe('a processor_b card payment that was never received upstream', () => {
  /** The upstream's first answer for each key, with which it answers every repeat of the key. */
  let orders: Map<string, ChargeOutcome>;
  const takeOrder = (request: ChargeRequest): ChargeOutcome => {
    const known = orders.get(request.upstreamKey);
    if (known !== undefined) return known;
    const outcome: ChargeOutcome =
      request.instrument.kind === 'withheld'
        ? { kind: 'not_carried_out', facts: idsOnly({ order: `ORDER${orders.size + 1}` }) }
        : chargedAs(`PSP${orders.size + 1}`);
    orders.set(request.upstreamKey, outcome);
    return outcome;
  };

  beforeEach(async () => {
    orders = new Map();
    kit.processor.answers = { charge: async () => noAnswer };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    kit.processor.answers.charge = async (_connection, request) => takeOrder(request);
  });

  it.each([minute, hour, 4 * hour])('is charged once by a retry after %i seconds', async (seconds) => {
    await pass(seconds);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({ status: 'succeeded' });
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.succeeded']);
    expect([...orders.values()].filter(({ kind }) => kind === 'succeeded')).toHaveLength(1);
  });

  it('is found where the answer to that retry is lost as well', async () => {
    await pass(minute);
    kit.processor.answers.charge = async (_connection, request) => {
      takeOrder(request);
      return noAnswer;
    };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    kit.processor.answers.charge = async (_connection, request) => takeOrder(request);
    await pass(minute);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded' });
    expect([...orders.values()].filter(({ kind }) => kind === 'succeeded')).toHaveLength(1);
  });

  it('fails as not_processed once the processor has forgotten the key, with one event', async () => {
    await pass(4 * hour);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
    await pass(3 * hour);
    const payment = await shop.paymentOf('k');
    expect(payment).toMatchObject({ status: 'failed', failure_code: 'not_processed' });
    expect(await shop.eventsOf(payment.id)).toEqual(['payment.failed']);
    expect(JSON.parse((await shop.pay('k')).text)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'not_processed',
        message: 'The payment was not carried out by the processor. Nothing was charged.',
      },
    });
  });

  it('fails where its retry comes too late for a buyer who must authenticate', async () => {
    await pass(hour);
    const cancelled: unknown[] = [];
    kit.processor.answers = {
      charge: async () => ({ ...offered('ORDER9'), action: 'processor_b_payer_action' }) as ChargeOutcome,
      cancel: async (_connection, { upstream }) => {
        cancelled.push(upstream);
        return { kind: 'cancelled' };
      },
    };
    const answer = await shop.pay('k');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'failed', failure: { code: 'not_processed' } });
    const { id } = await shop.paymentOf('k');
    expect(await shop.eventsOf(id)).toEqual(['payment.failed']);
    await pass(minute);
    expect(cancelled).toEqual([{ order: 'ORDER9' }]);
  });

  it('is looked up under the upstream key of the changed copy that was sent last', async () => {
    const asked: string[] = [];
    kit.processor.answers.charge = async (_connection, { upstreamKey, commitKey }) => {
      asked.push(upstreamKey);
      expect(await commitKey?.(`${upstreamKey}:a`)).toBe(true);
      return noAnswer;
    };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    kit.processor.answers.charge = async (_connection, { upstreamKey }) => {
      asked.push(upstreamKey);
      return chargedAs('PSP1');
    };
    await pass(minute);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded' });
    const { id } = await shop.paymentOf('k');
    expect(asked).toEqual([`${id}:c`, `${id}:c:a`]);
  });

  it('stores no upstream key for an attempt that is over', async () => {
    const late: ((key: string) => Promise<boolean>)[] = [];
    kit.processor.answers.charge = async (_connection, { commitKey }) => {
      if (commitKey !== undefined) late.push(commitKey);
      return chargedAs('PSP1');
    };
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
    expect(await late[0]?.('late')).toBe(false);
  });

  it('is found within a minute where it was charged, and no retry charges again', async () => {
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    await pass(minute);
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'succeeded' });
  });
});

describe('a repeat concurrent with recovery', () => {
  const report = async (kind: 'cancelled') =>
    applyPaymentUpdate(kit.payments, shop.context(), (await shop.paymentOf('k')).id, { kind });

  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_a');
    kit.processor.answers = { charge: async () => noAnswer };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
  });

  it('prevents recovery’s cancellation at processor_a, so that the next repeat can charge', async () => {
    // A cancellation here fails the test, since the processor does not expect one.
    await pass(10);
    expect(kit.incidents).not.toContain('recovery failed');
    kit.processor.answers.charge = async () => chargedAs('PSP1');
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
  });

  it('gets no decline for a payment that was cancelled', async () => {
    kit.processor.answers.cancel = async () => ({ kind: 'accepted' });
    await pass(minute);
    await report('cancelled');
    expect(JSON.parse((await shop.pay('k')).text)).toMatchObject({
      status: 'failed',
      failure: { code: 'not_processed' },
    });
  });
});
