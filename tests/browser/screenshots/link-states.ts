import type { Merchant } from '../../support/merchant.ts';
import { goodCard, origin, payBy } from '../checkout-world.ts';
import type { OpenPage, TestBrowser, View } from '../harness.ts';
import { type CheckoutState, open } from './checkout-shops.ts';

const asks = {
  title: 'Pottery course',
  description: 'Ten evenings.',
  currency: 'EUR',
  amount_range: { min: 500, max: 10_000, suggested: 2000 },
  reference_label: 'Name of the participant',
  save_payment_method: true,
};
const invoice = { title: 'Invoice 2026-117', currency: 'EUR', amount: 4990 };

async function linkOf(shop: Merchant, fields: object) {
  const { body } = await shop.post('/api/v1/payment_links', fields);
  return { id: body.id as string, path: new URL(body.url).pathname };
}

async function openLink(browser: TestBrowser, view: View, shop: Merchant, fields: object) {
  return open(browser, (await linkOf(shop, fields)).path, view);
}

/** Chooses a payment method. */
const choose = ({ page }: OpenPage, way: string) =>
  Promise.all([page.waitForNavigation(), page.click(`button[value="${way}"]`)]);

/** Every state of a payment link's page before the payment starts. */
export const linkStates: readonly CheckoutState[] = [
  {
    name: 'link',
    says: 'Pottery course Ten evenings. Amount (EUR) From €5.00 to €100.00',
    reach: (browser, view, { cards }) => openLink(browser, view, cards, asks),
  },
  {
    name: 'link-with-mistakes',
    says: 'Please check your details No money has been taken. Enter an amount from €5.00 to €100.00',
    reach: async (browser, view, { cards }) => {
      const opened = await openLink(browser, view, cards, asks);
      await opened.page.fill('#amount', '1');
      await choose(opened, 'card_fields');
      return opened;
    },
  },
  {
    name: 'link-card',
    says: 'Card number',
    reach: (browser, view, { banks }) => openLink(browser, view, banks, invoice),
  },
  {
    name: 'link-begun',
    says: 'You have begun a payment of €49.90. No money has been taken yet.',
    reach: async (browser, view, { cards }) => {
      const { path } = await linkOf(cards, invoice);
      const opened = await open(browser, path, view);
      await choose(opened, 'card_fields');
      await opened.page.goto(`${origin()}${path}?again=1&lang=${view.locale === 'ar' ? 'ar' : 'en'}`);
      return opened;
    },
  },
  {
    name: 'link-busy',
    says: 'Somebody is paying at this moment',
    reach: async (browser, view, { cards }) => {
      const { path } = await linkOf(cards, { ...invoice, max_payments: 1 });
      await fetch(origin() + path, { method: 'POST', body: new URLSearchParams({ way: 'card_fields' }) });
      return open(browser, path, view);
    },
  },
  {
    name: 'link-paid-before',
    says: 'You have paid €49.90 with this link. You have not been charged twice.',
    reach: async (browser, view, { cards }) => {
      const { path } = await linkOf(cards, invoice);
      const opened = await open(browser, path, view);
      await choose(opened, 'card_fields');
      await payBy(opened, goodCard);
      await opened.page.goto(origin() + path);
      return opened;
    },
  },
  {
    name: 'link-completed',
    says: 'Already paid This payment link has been paid and takes no further payment.',
    reach: async (browser, view, { cards }) => {
      const { path } = await linkOf(cards, { ...invoice, max_payments: 1 });
      const buyer = await open(browser, path, view);
      await choose(buyer, 'card_fields');
      await payBy(buyer, goodCard);
      await buyer.close();
      return open(browser, path, view);
    },
  },
  {
    name: 'link-off',
    says: 'Test shop has switched this payment link off. No money has been taken.',
    reach: async (browser, view, { cards }) => {
      const { id, path } = await linkOf(cards, invoice);
      await cards.call('PATCH', `/api/v1/payment_links/${id}`, { body: { status: 'inactive' } });
      return open(browser, path, view);
    },
  },
];
