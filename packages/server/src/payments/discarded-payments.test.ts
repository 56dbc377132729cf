import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageOfCustomers } from '../customers/search.ts';
import { CustomerStore } from '../customers/store.ts';
import type { ChargeOutcome, NoAnswer } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { createPayment } from './operations/create-payment.ts';
import { recoverPayments } from './operations/recoveries.ts';
import type { StoredRefusal } from './operations/settle-charge.ts';
import { listPaymentRows } from './reads.ts';
import {
  cardPayment,
  chargedAs,
  createMoneyKit,
  type MoneyKit,
  noAnswer,
  Shop,
  walletPayment,
} from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const refused: NoAnswer = { kind: 'not_executed', answer: 'provider_error', reason: 'status 401' };
const withCustomer: PaymentCreate = { ...cardPayment, customer: { email: 'ada@example.com' } };
const pay = (key: string, request = cardPayment) => shop.pay(key, {}, request);

const query = <Row>(text: string) =>
  kit.db.query<Row>({ text, values: [shop.context().tenant], scope: shop.context() });

async function rowsOf(table: string): Promise<number> {
  const [row] = await query<{ n: number }>(`select count(*)::int as n from ${table} where tenant = $1`);
  return row?.n ?? 0;
}

/** The kinds of the open operations. */
async function openOperations(): Promise<string[]> {
  const rows = await query<{ kind: string }>('select kind from operations where tenant = $1');
  return rows.map(({ kind }) => kind);
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
  'a first charge that %s certainly did not process',
  (name) => {
    beforeEach(async () => {
      shop = await Shop.open(kit, name);
      kit.processor.answers = { charge: async () => refused };
    });

    it('is discarded with its customer, event and key', async () => {
      expect(await pay('k', withCustomer)).toEqual({ status: 502, text: 'provider_error' });
      expect(await listedPayments()).toEqual({ ids: [], total: 0 });
      expect(await listedCustomers()).toEqual({ emails: [], total: 0 });
      expect(await rowsOf('events')).toBe(0);
      expect(await rowsOf('idempotency_keys')).toBe(0);
    });

    it('leaves no operation for recovery', async () => {
      await pay('k');
      // Any request to the processor fails the test, since it expects none.
      kit.clock.move(3_600_000);
      expect(await recoverPayments(kit.payments)).toBe(0);
    });

    it('a retry under the same key is a new attempt with the same customer', async () => {
      await pay('k', withCustomer);
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      const answer = await pay('k', withCustomer);
      expect(answer).toMatchObject({ status: 201 });
      const { id } = await shop.paymentOf('k');
      expect(await listedPayments()).toEqual({ ids: [id], total: 1 });
      expect(await listedCustomers()).toEqual({ emails: ['ada@example.com'], total: 1 });
      expect(await shop.eventsOf(id)).toEqual(['payment.succeeded']);
    });

    it('a corrected body may use its key', async () => {
      await pay('k');
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      expect(await pay('k', { ...cardPayment, amount: 100 })).toMatchObject({ status: 201 });
    });

    it('stays in doubt where an earlier try may have been processed', async () => {
      kit.processor.answers.charge = async () => noAnswer;
      expect(await pay('k')).toMatchObject({ status: 503 });
      kit.processor.answers.charge = async () => refused;
      expect(await pay('k')).toMatchObject({ status: 502 });
      expect(await shop.paymentOf('k')).toMatchObject({ status: 'processing' });
      kit.processor.answers.charge = async () => chargedAs('PSP1');
      expect(await pay('k')).toMatchObject({ status: 201 });
      expect(await rowsOf('payments')).toBe(1);
    });

    it('the pages of the lists have no gaps', async () => {
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

    it('is refunded where the processor later reports it as charged', async () => {
      await pay('k');
      const [row] = await kit.db.query<{ id: string }>({
        text: 'select id from discarded_payments where tenant = $1',
        values: [shop.context().tenant],
        scope: 'everybody',
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
      const update = { kind: 'settled', outcome: charged, amount: 4990, currency: 'EUR' } as const;
      expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
      kit.clock.move(60_000);
      await recoverPayments(kit.payments);
      const given = { paymentId: id, upstream: { psp: 'PSP1' } };
      expect(cancelled).toEqual([given, given]);
      expect(await applyPaymentUpdate(kit.payments, shop.context(), id, { kind: 'cancelled' })).toBe(
        'applied',
      );
      expect(await shop.eventsOf(id)).toEqual([]);
      expect(await listedPayments()).toEqual({ ids: [(await shop.paymentOf('k')).id], total: 1 });
    });
  },
);

const walletWithCustomer: PaymentCreate = { ...walletPayment, customer: { email: 'ada@example.com' } };
const withoutLink: ChargeOutcome = { kind: 'missing_approval_url', facts: idsOnly({ order: 'ORDER1' }) };
const unstorable: ChargeOutcome = { kind: 'cannot_save', facts: idsOnly({}) };
const waiting: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_b_wallet',
  redirectUrl: 'https://processor.example/approve',
  facts: idsOnly({ order: 'ORDER2' }),
};

async function expectNothing(): Promise<void> {
  expect(await listedPayments()).toEqual({ ids: [], total: 0 });
  expect(await listedCustomers()).toEqual({ emails: [], total: 0 });
  expect(await rowsOf('events')).toBe(0);
}

describe('a wallet order without an approval link', () => {
  let closed: unknown[];
  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_b');
    closed = [];
    kit.processor.answers = {
      charge: async () => withoutLink,
      cancel: async (_connection, { upstream }) => {
        closed.push(upstream);
        return closed.length === 1 ? noAnswer : { kind: 'cancelled' };
      },
    };
  });

  it('only its response is stored; recovery cancels the order upstream', async () => {
    expect(await pay('k', walletWithCustomer)).toEqual({ status: 502, text: 'missing_approval_url' });
    await expectNothing();
    expect(await openOperations()).toEqual(['cancel']);
    await recoverPayments(kit.payments);
    expect(await openOperations()).toEqual(['cancel']);
    kit.clock.move(60_000);
    await recoverPayments(kit.payments);
    expect(await openOperations()).toEqual([]);
    expect(closed).toEqual([{ order: 'ORDER1' }, { order: 'ORDER1' }]);
    expect(await pay('k', walletWithCustomer)).toEqual({ status: 502, text: 'missing_approval_url' });
  });

  it('a retry under a new key is a new attempt with the same customer', async () => {
    await pay('k', walletWithCustomer);
    kit.processor.answers.charge = async () => waiting;
    expect(await pay('k2', walletWithCustomer)).toMatchObject({ status: 201 });
    expect(await listedCustomers()).toEqual({ emails: ['ada@example.com'], total: 1 });
  });

  /** Sends the request up to the processor's answer. The caller stores the refusal. */
  async function beforeKept(): Promise<StoredRefusal> {
    const context = shop.context();
    const request = { scope: 'POST /pay', key: 'k', body: walletWithCustomer };
    const found = await kit.idempotency.find(context, request);
    if (found.kind !== 'new') throw new Error('the key was used');
    const client = { ip: '192.0.2.1', userAgent: null, accept: null };
    const input = { request: walletWithCustomer, client, claim: found.claim, resumes: null };
    const answer = await createPayment(kit.payments, context, input);
    if (!('refusal' in answer)) throw new Error('it was not refused');
    return answer;
  }

  /** Like `beforeKept`, but the process dies then: its leases end. */
  async function dieUnanswered(): Promise<void> {
    await beforeKept();
    kit.clock.move(200_000);
  }

  it('503 for a request that lost its lease before the refusal was stored; the customer is freed after it', async () => {
    const late = await beforeKept();
    kit.clock.move(200_000);
    expect(await pay('k', walletWithCustomer)).toEqual({ status: 502, text: 'missing_approval_url' });
    await expect(late.keep('late')).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(await pay('k', walletWithCustomer)).toEqual({ status: 502, text: 'missing_approval_url' });
    await expectNothing();
  });

  it('is ended by the retry where its process died before the response', async () => {
    await dieUnanswered();
    expect(await pay('k', walletWithCustomer)).toEqual({ status: 502, text: 'missing_approval_url' });
    await expectNothing();
    expect(await rowsOf('discarded_payments')).toBe(1);
  });

  it('is ended by recovery where its process died before the response, and frees its key', async () => {
    await dieUnanswered();
    // Recovery leaves its first tries to the merchant's retry.
    for (const ms of [0, 60_000, 400_000]) {
      kit.clock.move(ms);
      await recoverPayments(kit.payments);
    }
    await expectNothing();
    expect(await rowsOf('idempotency_keys')).toBe(0);
    kit.clock.move(60_000);
    await recoverPayments(kit.payments);
    expect(closed.at(-1)).toEqual({ order: 'ORDER1' });
    kit.processor.answers.charge = async () => waiting;
    expect(await pay('k', walletWithCustomer)).toMatchObject({ status: 201 });
    expect(await listedCustomers()).toEqual({ emails: ['ada@example.com'], total: 1 });
    expect((await listedPayments()).total).toBe(1);
  });

  it('stays hidden whenever a notification about it arrives', async () => {
    await pay('k', walletWithCustomer);
    const [row] = await kit.db.query<{ id: string }>({
      text: 'select id from discarded_payments where tenant = $1',
      values: [shop.context().tenant],
      scope: 'everybody',
    });
    const id = row?.id ?? '';
    const declined = { kind: 'declined', code: 'refused', facts: idsOnly({}) } as const;
    const update = { kind: 'settled', outcome: declined, amount: 4990, currency: 'EUR' } as const;
    expect(await applyPaymentUpdate(kit.payments, shop.context(), id, update)).toBe('applied');
    await expectNothing();
  });
});

describe('a payment whose instrument the processor cannot store', () => {
  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_b');
    kit.processor.answers = { charge: async () => unstorable };
  });
  const saving: PaymentCreate = { ...withCustomer, save_payment_method: true };

  it('is discarded with its key and leaves nothing for recovery', async () => {
    expect(await pay('k', saving)).toEqual({ status: 422, text: 'invalid_params' });
    await expectNothing();
    expect(await rowsOf('idempotency_keys')).toBe(0);
    expect(await openOperations()).toEqual([]);
  });

  it('its key and customer are free for the corrected request', async () => {
    await pay('k', saving);
    kit.processor.answers.charge = async () => chargedAs('CAPTURE1');
    expect(await pay('k', { ...withCustomer, save_payment_method: false })).toMatchObject({ status: 201 });
    expect(await listedCustomers()).toEqual({ emails: ['ada@example.com'], total: 1 });
    expect((await listedPayments()).total).toBe(1);
  });
});
