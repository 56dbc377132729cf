import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../lib/keys.ts';
import { createPaymentLink, type LinkDependencies } from '../payment-links/payment-links.ts';
import type { LinkRow } from '../payment-links/row.ts';
import { oneAttemptPerForm } from '../payment-links/sql.ts';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { brokenConstraint } from '../store/database.ts';
import { createPayment } from './operations/create-payment.ts';
import { expirePayments } from './operations/expire.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { PaymentStore } from './store.ts';
import {
  cardPayment,
  chargedAs,
  createMoneyKit,
  type MoneyKit,
  noAnswer,
  Shop,
  walletPayment,
  whileLocked,
} from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
let links: LinkDependencies;
let link: LinkRow;

beforeAll(async () => {
  kit = await createMoneyKit();
  links = kit.links;
});
afterAll(() => kit.drop());

const open = async (processor: 'processor_a' | 'processor_b' = 'processor_a') => {
  shop = await Shop.open(kit, processor);
  const made = await createPaymentLink(
    links,
    shop.context(),
    { title: 'Invoice', currency: 'EUR', amount: 4990, max_payments: 1 },
    { claim: null },
  );
  if (made === null) throw new Error('no link was made');
  link = made.link;
};
beforeEach(() => open());

const pay = (form: string, request = cardPayment, payments = kit.payments) =>
  createPayment(payments, shop.context(), {
    request,
    client: { ip: null, userAgent: null, accept: null },
    claim: null,
    resumes: null,
    link: { id: link.id, visit: sha256(form), browser: null, network: null },
  });
const counts = async () => {
  const now = await links.store.find(shop.context(), link.id);
  return { open: now?.open_count, paid: now?.payments_count, amount: now?.payments_amount };
};
/** Runs recovery four times. The first run leaves a charge to the merchant's retry; the next ones ask the processor. */
async function passAnHour(): Promise<void> {
  for (let looks = 0; looks < 4; looks += 1) {
    kit.clock.move(900_000);
    await recoverPayments(kit.payments);
  }
}
const nothing = { open: 0, paid: 0, amount: 0 };
const offered: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_b_wallet',
  redirectUrl: 'https://wallet.example/approve',
  facts: idsOnly({ order: 'ORDER1' }),
};

describe('a place of a payment link', () => {
  it('is taken before the processor is asked, and counted as paid with its answer', async () => {
    let during = {};
    kit.processor.answers = {
      charge: async () => {
        during = await counts();
        return chargedAs('PSP1');
      },
    };
    await pay('one');
    expect(during).toEqual({ open: 1, paid: 0, amount: 0 });
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
    expect(await pay('two')).toEqual({ keyTaken: true });
  });

  it('goes to one of many at once', async () => {
    let asked = 0;
    kit.processor.answers = {
      charge: async () => {
        asked += 1;
        return chargedAs('PSP1');
      },
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_none, n) => pay(`form ${n}`)));
    expect(answers.filter((answer) => 'text' in answer)).toHaveLength(1);
    expect(asked).toBe(1);
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
  });

  it('goes to one of two processes at once, also for customers who are there already', async () => {
    kit.processor.answers = { charge: async () => chargedAs('PSP1') };
    const ids: string[] = [];
    for (const key of ['k1', 'k2']) {
      await shop.pay(key, {}, { ...cardPayment, customer: { email: `${key}@shop.example` } });
      ids.push((await shop.paymentOf(key)).customer_id ?? '');
    }
    const answers = await whileLocked(
      kit,
      { table: 'payment_links', row: link },
      ids.map((customer) => () => {
        const store = new PaymentStore(kit.db);
        return pay(`form of ${customer}`, { ...cardPayment, customer }, { ...kit.payments, store });
      }),
    );
    expect(answers.filter((answer) => 'text' in answer)).toHaveLength(1);
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
  });

  it('is taken once by a form that is sent twice, which leaves no trace of the second', async () => {
    await kit.db.query({
      text: 'update payment_links set max_payments = null where tenant = $1 and id = $2',
      values: [link.tenant, link.id],
      scope: link,
    });
    kit.processor.answers = { charge: async () => chargedAs('PSP1') };
    await pay('same');
    const again = await pay('same').catch((error: unknown) => brokenConstraint(error));
    expect(again).toBe(oneAttemptPerForm);
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
  });

  it.each([
    ['declined', { kind: 'declined', code: 'declined', facts: idsOnly({ psp: 'PSP1' }) }],
    ['certainly not carried out', { kind: 'not_executed', answer: 'provider_error', reason: 'test' }],
  ] as const)('is given back by a payment that was %s', async (_what, outcome) => {
    kit.processor.answers = { charge: async () => outcome };
    await pay('one').catch(() => {});
    expect(await counts()).toEqual(nothing);
    kit.processor.answers = { charge: async () => chargedAs('PSP2') };
    await pay('two');
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
  });

  it('is kept by a payment in doubt until the processor has been asked', async () => {
    await open('processor_b');
    kit.processor.answers = { charge: async () => noAnswer };
    await expect(pay('one')).rejects.toMatchObject({ status: 503 });
    expect(await counts()).toEqual({ open: 1, paid: 0, amount: 0 });
    expect(await pay('two')).toEqual({ keyTaken: true });
    kit.processor.answers = { charge: async () => chargedAs('PSP1') };
    await passAnHour();
    expect(await counts()).toEqual({ open: 0, paid: 1, amount: 4990 });
  });

  it('is given back by a payment in doubt that was not carried out: no merchant retries it', async () => {
    await open('processor_b');
    kit.processor.answers = { charge: async () => noAnswer };
    await expect(pay('one')).rejects.toMatchObject({ status: 503 });
    kit.processor.answers = { charge: async () => ({ kind: 'not_carried_out', facts: idsOnly({}) }) };
    await passAnHour();
    expect(await counts()).toEqual(nothing);
  });

  it('is kept while the buyer is asked, and given back when the window is over', async () => {
    await open('processor_b');
    kit.processor.answers = {
      charge: async () => offered,
      cancel: async () => ({ kind: 'nothing' }),
    } as never;
    await pay('one', walletPayment);
    expect(await counts()).toEqual({ open: 1, paid: 0, amount: 0 });
    kit.clock.move(901_000);
    await expirePayments(kit.payments, shop.context());
    expect(await counts()).toEqual(nothing);
  });

  it('is not given by a link that is switched off or over', async () => {
    const change = (set: string) =>
      kit.db.query({
        text: `update payment_links set ${set} where tenant = $1 and id = $2`,
        values: [link.tenant, link.id],
        scope: link,
      });
    await change('is_on = false');
    expect(await pay('one')).toEqual({ keyTaken: true });
    await change(`is_on = true, expires_at = '2001-01-01'`);
    expect(await pay('two')).toEqual({ keyTaken: true });
    expect(await counts()).toEqual(nothing);
  });
});
