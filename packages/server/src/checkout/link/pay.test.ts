import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createCustomer } from '../../customers/customers.ts';
import { type CustomerRow, newCustomerRow } from '../../customers/store.ts';
import { sha256 } from '../../lib/keys.ts';
import { createPaymentLink } from '../../payment-links/payment-links.ts';
import type { LinkRow } from '../../payment-links/row.ts';
import { createMoneyKit, type MoneyKit, Shop } from '../../payments/test-kit.ts';
import type { ChargeRequest } from '../../processors/port/port.ts';
import { idsOnly } from '../../processors/upstream/facts.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import { attempt } from './pay.ts';
import type { LinkVisit } from './visit.ts';

let kit: MoneyKit;
let shop: Shop;
let link: LinkRow;
let asked: ChargeRequest[];
const email = 'buyer@shop.example';

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  asked = [];
  kit.processor.answers = {
    charge: async (_connection, request) => {
      asked.push(request);
      const facts = idsOnly({ order: `ORDER${asked.length}` });
      return {
        kind: 'requires_action',
        action: 'processor_b_wallet',
        redirectUrl: 'https://w.example',
        facts,
      };
    },
  };
  const fields = { title: 'Course', currency: 'EUR', amount: 4990, save_payment_method: true };
  const made = await createPaymentLink(kit.links, shop.context(), fields, { claim: null });
  if (made === null) throw new Error('no link was made');
  link = made.link;
});

/** Sends the form of the link's page, as a buyer does. */
async function pay(form: string) {
  const deps = {
    payments: kit.payments,
    links: kit.links,
    unpaidAttempts: {
      attempt: (_context: unknown, _link: string, _address: string, begin: (network: null) => unknown) =>
        begin(null),
    },
  } as unknown as CheckoutPageDependencies;
  const visit = { link, context: shop.context(), browser: { hash: null }, abandoned: null };
  return attempt(deps, visit as unknown as LinkVisit, {
    form,
    details: { amount: 4990, reference: null, email },
    means: 'wallet',
    client: { ip: '192.0.2.1', userAgent: null, accept: null },
  });
}

/** What the next look-up of the address finds. By the time the payment begins, the stored customers differ. */
const findFirst = (rows: readonly CustomerRow[]) =>
  vi
    .spyOn(kit.payments.customers.store, 'list')
    .mockResolvedValueOnce({ rows: [...rows], total: rows.length });

async function customerOf(form: string): Promise<string | null | undefined> {
  const id = await kit.links.store.attemptOf(shop.context(), link.id, sha256(form));
  return id === null ? undefined : (await kit.payments.store.find(shop.context(), id))?.customer_id;
}

it('a buyer pays also where the processor cannot keep the method, so that nothing shows whose address is on file', async () => {
  expect(await pay('one')).toBe('begun');
  expect(asked).toMatchObject([{ save: { model: 'card_on_file', required: false } }]);
});

it('two buyers with one new address at the same moment both begin, for one customer', async () => {
  expect(await pay('one')).toBe('begun');
  findFirst([]);
  expect(await pay('two')).toBe('begun');
  expect(await customerOf('one')).toMatch(/^cus_/);
  expect(await customerOf('two')).toBe(await customerOf('one'));
});

it('a buyer whose address the merchant puts on file at the same moment begins, for no customer', async () => {
  await createCustomer(kit.payments.customers, shop.context(), { email }, null);
  findFirst([]);
  expect(await pay('one')).toBe('begun');
  expect(await customerOf('one')).toBeNull();
});

it('a buyer begins where the payment that another customer came with is discarded at the same moment', async () => {
  const gone = `cus_${'0'.repeat(24)}`;
  findFirst([newCustomerRow(shop.context(), gone, { email }, kit.clock.now(), true)]);
  expect(await pay('one')).toBe('begun');
  expect(await customerOf('one')).not.toBe(gone);
});
