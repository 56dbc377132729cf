import { till } from '../../support/merchant.ts';
import {
  cardPayment,
  challengedPayment,
  goodCard,
  origin,
  payBy,
  stayOnPage,
  walletPayment,
} from '../checkout-world.ts';
import { type CheckoutState, noAddresses, open, reopen, sendCard } from './checkout-shops.ts';

/** The possible outcomes of a payment, and pages without a next step. */
export const endStates: readonly CheckoutState[] = [
  {
    name: 'paid',
    says: 'Your payment is complete. Amount €49.90 EUR',
    reach: (browser, view, { cards }) => sendCard(browser, view, cards, goodCard),
  },
  {
    name: 'paid-returning',
    says: 'Your payment is complete. Returning to Test shop.',
    reach: (browser, view, { cards }) => sendCard(browser, view, cards, goodCard, {}),
  },
  {
    name: 'already-paid',
    says: 'This payment is already complete. You have not been charged twice.',
    reach: (browser, view, { cards }) => reopen(browser, view, cards, goodCard),
  },
  {
    name: 'authorized',
    says: 'Your payment is authorized. The amount is reserved and has not been taken yet.',
    reach: (browser, view, { cards }) =>
      sendCard(browser, view, cards, goodCard, { ...noAddresses, capture_method: 'manual' }),
  },
  {
    name: 'declined',
    says: 'Your bank declined this payment. No money has been taken. The bank says that there is not enough money available.',
    reach: (browser, view, { cards }) => sendCard(browser, view, cards, { ...goodCard, name: 'CCREJECT-IF' }),
  },
  {
    name: 'declined-reopened',
    says: 'Your bank declined this payment. No money has been taken. Return to Test shop',
    reach: (browser, view, { cards }) => reopen(browser, view, cards, { ...goodCard, name: 'CCREJECT-LS' }),
  },
  {
    name: 'declined-by-wallet',
    says: 'PayPal declined this payment. No money has been taken. Return to Test shop',
    reach: async (browser, view, { cards }) => {
      const payment = await walletPayment(cards, { description: 'SIM-WALLET-DECLINED' });
      await cards.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, {});
      await cards.post(`/api/v1/payments/${payment.id}/confirm`);
      return open(browser, payment.path, view);
    },
  },
  {
    name: 'voided',
    says: 'This payment was cancelled. No money has been taken.',
    reach: async (browser, view, { cards }) => {
      const payment = await cardPayment(cards, { capture_method: 'manual' });
      const opened = await open(browser, payment.path, view);
      await stayOnPage(opened);
      await payBy(opened);
      await cards.post(`/api/v1/payments/${payment.id}/void`);
      await opened.page.goto(origin() + payment.path);
      return opened;
    },
  },
  {
    name: 'not-confirmed-at-bank',
    says: 'You did not finish the check of your bank. No money has been taken.',
    reach: async (browser, view, { banks }) => {
      const payment = await challengedPayment(banks);
      await banks.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, { outcome: 'abandoned' });
      await banks.post(`/api/v1/payments/${payment.id}/confirm`);
      return open(browser, payment.path, view);
    },
  },
  {
    name: 'expired',
    says: 'This payment link has expired. No money has been taken.',
    reach: async (browser, view, { late }) => {
      const payment = await cardPayment(late);
      await late.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
      return open(browser, payment.path, view);
    },
  },
  {
    name: 'not-possible',
    says: 'Test shop cannot take this payment at the moment. No money has been taken.',
    reach: async (browser, view, { suspended }) => {
      const payment = await cardPayment(suspended);
      const opened = await open(browser, payment.path, view);
      await till('accounts', 'update', suspended.id, '--activation', 'suspended');
      await payBy(opened);
      await till('accounts', 'update', suspended.id, '--activation', 'active');
      return opened;
    },
  },
  {
    name: 'other-browser',
    says: 'This payment was started in another browser. This page takes no money.',
    reach: async (browser, view, { cards }) => {
      const payment = await cardPayment(cards);
      const first = await open(browser, payment.path, view);
      await first.page.fill('#number', '4111');
      await first.page.evaluate(`document.getElementById('card').submit()`);
      await first.page.locator('#summary-list li').first().waitFor();
      await first.close();
      return open(browser, payment.path, view);
    },
  },
  {
    name: 'not-found',
    says: 'This payment link is not valid. No money has been taken.',
    reach: (browser, view) => open(browser, '/checkout/pay/nothing', view),
  },
];
