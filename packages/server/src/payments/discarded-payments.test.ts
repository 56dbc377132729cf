import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CustomerStore } from '../customers/store.ts';
import { pageOfCustomers } from '../dashboard/customers/store.ts';
import type { NoAnswer } from '../processors/port.ts';
import { applyPaymentNews } from './apply-notification.ts';
import { listPaymentRows } from './reads.ts';
import { recoverPayments } from './recover-payments.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const refused: NoAnswer = { kind: 'not_executed', answer: 'provider_error', reason: 'status 401' };
const withCustomer: PaymentCreate = { ...cardPayment, customer: { email: 'ada@example.com' } };
const pay = (key: string, request = cardPayment) => shop.pay(key, {}, request);

async function rowsOf(table: string): Promise<number> {
  const [row] = await kit.db.query<{ n: number }>({
    text: `select count(*)::int as n from ${table} where account_id = $1`,
    values: [shop.context().accountId],
  });
  return row?.n ?? 0;
}

const listedPayments = async (page = 1, perPage = 2) => {
  const { rows, total } = await listPaymentRows(kit.db, shop.context(), { page, per_page: perPage });
  return { ids: rows.map(({ id }) => id), total };
};
const listedCustomers = async (page = 1, perPage = 2) => {
  const { rows, total } = await new CustomerStore(kit.db).list(shop.context(), { page, per_page: perPage });
  const board = await pageOfCustomers(kit.db, shop.context(), {
    offset: (page - 1) * perPage,
    limit: perPage,
  });
  expect(board).toMatchObject({ ids: rows.map(({ id }) => id), total });
  return { emails: rows.map(({ email }) => email), total };
};

describe.each(['processor_a', 'processor_b'] as const)(
  'a first charge that %s certainly did not carry out',
  (name) => {
    beforeEach(async () => {
      shop = await Shop.open(kit, name);
      kit.processor.answers = { charge: async () => refused };
    });

    it('leaves no payment, no customer, no event and no key', async () => {
      expect(await pay('k', withCustomer)).toEqual({ status: 502, text: 'provider_error' });
      expect(await listedPayments()).toEqual({ ids: [], total: 0 });
      expect(await listedCustomers()).toEqual({ emails: [], total: 0 });
      expect(await rowsOf('events')).toBe(0);
      expect(await rowsOf('idempotency_keys')).toBe(0);
    });

    it('leaves nothing to recovery', async () => {
      await pay('k');
      // Any question fails the test: the processor expects none.
      kit.clock.move(3_600_000);
      expect(await recoverPayments(kit.payments)).toBe(0);
    });

    it('is a new attempt under the same key, with the same customer', async () => {
      await pay('k', withCustomer);
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      const answer = await pay('k', withCustomer);
      expect(answer).toMatchObject({ status: 201 });
      const { id } = await shop.paymentOf('k');
      expect(await listedPayments()).toEqual({ ids: [id], total: 1 });
      expect(await listedCustomers()).toEqual({ emails: ['ada@example.com'], total: 1 });
      expect(await shop.eventsOf(id)).toEqual(['payment.succeeded']);
    });

    it('leaves its key to a corrected body', async () => {
      await pay('k');
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      expect(await pay('k', { ...cardPayment, amount: 100 })).toMatchObject({ status: 201 });
    });

    it('stays in doubt where an earlier try may have been carried out', async () => {
      kit.processor.answers.charge = async () => noAnswer;
      expect(await pay('k')).toMatchObject({ status: 503 });
      kit.processor.answers.charge = async () => refused;
      expect(await pay('k')).toMatchObject({ status: 502 });
      expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      expect(await pay('k')).toMatchObject({ status: 201 });
      expect(await rowsOf('payments')).toBe(1);
    });

    it('leaves the pages of the lists without gaps', async () => {
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4, 5]) {
        const request = { ...cardPayment, customer: { email: `buyer${n}@example.com` } };
        kit.processor.answers.charge = async () => (n % 2 === 0 ? refused : chargedAs(`PSP${n}`));
        await pay(`key-${n}`, request);
        if (n % 2 === 1) ids.unshift((await shop.paymentOf(`key-${n}`)).id);
      }
      expect(await listedPayments(1)).toEqual({ ids: ids.slice(0, 2), total: 3 });
      expect(await listedPayments(2)).toEqual({ ids: ids.slice(2), total: 3 });
      const emails = ['buyer5@example.com', 'buyer3@example.com'];
      expect(await listedCustomers(1)).toEqual({ emails, total: 3 });
      expect(await listedCustomers(2)).toEqual({ emails: ['buyer1@example.com'], total: 3 });
    });

    it('is given back where the processor says later that it charged it all the same', async () => {
      await pay('k');
      const [row] = await kit.db.query<{ id: string }>({
        text: 'select id from payments where account_id = $1',
        values: [shop.context().accountId],
      });
      const id = row?.id ?? '';
      kit.processor.answers.charge = async () => chargedAs('PSP2');
      expect(await pay('k')).toMatchObject({ status: 201 });
      const cancelled: unknown[] = [];
      kit.processor.answers.cancel = async (_connection, { paymentId, upstream }) => {
        cancelled.push({ paymentId, upstream });
        return cancelled.length === 1 ? noAnswer : { kind: 'cancelled' };
      };
      const charged = chargedAs('PSP1');
      const news = { kind: 'settled', outcome: charged, amount: 4990, currency: 'EUR' } as const;
      expect(await applyPaymentNews(kit.payments, shop.context(), id, news)).toBe('applied');
      kit.clock.move(60_000);
      await recoverPayments(kit.payments);
      const given = { paymentId: id, upstream: { psp: 'PSP1' } };
      expect(cancelled).toEqual([given, given]);
      expect(await applyPaymentNews(kit.payments, shop.context(), id, { kind: 'cancelled' })).toBe('applied');
      expect(await shop.eventsOf(id)).toEqual([]);
      expect(await listedPayments()).toEqual({ ids: [(await shop.paymentOf('k')).id], total: 1 });
    });
  },
);
