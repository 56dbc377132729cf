import {
  cardPayment,
  challengedPayment,
  fillCard,
  goodCard,
  holdLease,
  origin,
  payBy,
  query,
  refusedCard,
  stayOnPage,
  walletPayment,
} from '../checkout-world.ts';
import type { OpenPage, TestBrowser, View } from '../harness.ts';
import { endStates } from './checkout-ends.ts';
import { type CheckoutState, open, type Shops, sendCard } from './checkout-shops.ts';
import { linkStates } from './link-states.ts';

export { openShops } from './checkout-shops.ts';
export type { CheckoutState, Shops };

const order = {
  amount: 5500,
  reference: 'order-1001',
  description: 'Spring order',
  line_items: [
    { name: 'Mug', unit_amount: 2000, quantity: 2 },
    { name: 'Tea', unit_amount: 1000 },
  ],
  shipping_amount: 500,
};

const cardStates: readonly CheckoutState[] = [
  {
    name: 'card-form',
    says: 'Complete by',
    reach: async (browser, view, { cards }) => open(browser, (await cardPayment(cards)).path, view),
  },
  {
    name: 'card-form-with-order',
    says: 'Your order Mug × 2 €40.00 Tea €10.00 Shipping €5.00 Total €55.00 Reference order-1001',
    reach: async (browser, view, { cards }) => open(browser, (await cardPayment(cards, order)).path, view),
  },
  {
    name: 'card-form-filled-in',
    says: 'American Express',
    reach: async (browser, view, { cards }) => {
      const opened = await open(browser, (await cardPayment(cards)).path, view);
      await fillCard(opened, { ...goodCard, number: '370000000000002', cvc: '7373' });
      await opened.page.locator('footer summary').click();
      return opened;
    },
  },
  {
    name: 'card-form-with-mistakes',
    says: 'Please check your details No money has been taken. Enter a card number',
    reach: async (browser, view, { cards }) => {
      const opened = await open(browser, (await cardPayment(cards)).path, view);
      await opened.page.click('#pay');
      return opened;
    },
  },
  {
    name: 'card-refused',
    says: 'This card was refused. No money has been taken. Use another card. The bank could not confirm that it was you.',
    reach: (browser, view, { strict }) => sendCard(browser, view, strict, refusedCard, {}),
  },
  {
    name: 'too-many-cards',
    says: 'Too many cards were tried. No money has been taken.',
    reach: async (browser, view, { strict }) => {
      const payment = await cardPayment(strict);
      await query('update checkout_tokens set refusals = 5 where payment_id = $1', [payment.id]);
      const opened = await open(browser, payment.path, view);
      await payBy(opened);
      return opened;
    },
  },
  {
    name: 'processor-fields',
    says: 'Security code',
    reach: async (browser, view, { live }) => {
      const payment = await cardPayment(live);
      const opened = await browser.open(origin(), undefined, view);
      await serveFields(opened);
      await opened.page.goto(origin() + payment.path);
      await opened.page.locator('#pay').waitFor();
      return opened;
    },
  },
];

/** Replaces the processor's SDK with three empty fields that accept any card. */
export const fieldsScript = `window.paypal = { createInstance: async () => ({
  createCardFieldsOneTimePaymentSession: () => ({
    createCardFieldsComponent: () => document.createElement('div'),
    submit: async () => ({ state: window.tillTestState ?? 'succeeded' }),
  }),
}) };`;

export const serveFields = ({ page }: OpenPage): Promise<unknown> =>
  page.route('https://www.paypal.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: fieldsScript }),
  );

const wayStates: readonly CheckoutState[] = [
  {
    name: 'wallet',
    says: 'You approve the payment at PayPal and come back here. No money is taken before that.',
    reach: async (browser, view, { cards }) => open(browser, (await walletPayment(cards)).path, view),
  },
  {
    name: 'wallet-not-approved',
    says: 'You have not approved this payment. No money has been taken.',
    reach: async (browser, view, { cards }) => {
      const opened = await open(browser, (await walletPayment(cards)).path, view);
      await opened.page.locator('a.action').click();
      await opened.page.locator('[value="cancel"]').click();
      await opened.page.waitForURL('**/checkout/cancel/**');
      return opened;
    },
  },
  {
    name: 'bank-challenge',
    says: 'Your bank is checking your details',
    reach: async (browser, view, { banks }) => {
      const opened = await open(browser, (await challengedPayment(banks)).path, view);
      await opened.page.frameLocator('#bank iframe').locator('#password').waitFor();
      return opened;
    },
  },
  {
    name: 'processing',
    says: 'Processing. Do not pay again.',
    reach: async (browser, view, { cards }) => {
      const payment = await cardPayment(cards);
      await holdLease(payment);
      return open(browser, payment.path, view);
    },
  },
  {
    name: 'outage',
    says: 'We do not know yet whether the payment finished: do not pay again.',
    reach: (browser, view, { cards }) =>
      sendCard(browser, view, cards, { ...goodCard, name: 'SIM-500-DONE' }),
  },
  {
    name: 'returning-to-shop',
    says: 'Test shop finishes the payment. No money has been taken yet.',
    reach: async (browser, view, { cards }) => {
      const payment = await walletPayment(cards);
      const opened = await open(browser, payment.path, view);
      await stayOnPage(opened);
      await opened.page.goto(`${origin()}${payment.path.replace('/pay/', '/return/')}?PayerID=A`);
      return opened;
    },
  },
];

/** Every state that the hosted checkout page can show to a buyer. */
export const checkoutStates: readonly CheckoutState[] = [
  ...cardStates,
  ...wayStates,
  ...endStates,
  ...linkStates,
];

/** Takes a picture of a state as a PNG file. */
export async function pictureOf(
  browser: TestBrowser,
  state: CheckoutState,
  view: View,
  shops: Shops,
): Promise<Buffer> {
  const opened = await state.reach(browser, view, shops);
  try {
    return await opened.page.screenshot({ fullPage: true, animations: 'disabled' });
  } finally {
    await opened.close();
  }
}
