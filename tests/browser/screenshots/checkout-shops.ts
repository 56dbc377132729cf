import { Merchant } from '../../support/merchant.ts';
import { cardPayment, type goodCard, openLiveShop, origin, payBy, stayOnPage } from '../checkout-world.ts';
import type { OpenPage, TestBrowser, View } from '../harness.ts';

/** The accounts with the payments for the states. */
export interface Shops {
  readonly cards: Merchant;
  readonly banks: Merchant;
  /** Requires 3-D Secure, so that a bank can refuse a card on the page. */
  readonly strict: Merchant;
  /** A live account that uses the processor's card fields. */
  readonly live: Merchant;
  /** A live account that was suspended later. */
  readonly suspended: Merchant;
  /** An account with its clock moved past every deadline. */
  readonly late: Merchant;
}

/** Opens the accounts that all states share. */
export async function openShops(): Promise<Shops> {
  const [cards, banks, strict, live, suspended, late] = await Promise.all([
    Merchant.open('processor_b'),
    Merchant.open('processor_a'),
    Merchant.open('processor_b', '--three-d-secure', 'enabled'),
    openLiveShop('processor'),
    openLiveShop('first_party'),
    Merchant.open('processor_b'),
  ]);
  return { cards, banks, strict, live, suspended, late };
}

/** One state of the page. */
export interface CheckoutState {
  readonly name: string;
  /** A part of the English text on the page. */
  readonly says: string;
  /** Brings a new browser to this state. */
  readonly reach: (browser: TestBrowser, view: View, shops: Shops) => Promise<OpenPage>;
}

export const noAddresses = { success_url: null, failure_url: null };
export const open = (browser: TestBrowser, path: string, view: View) => browser.open(origin(), path, view);

/** Opens the page of a new payment, types the card and submits it. */
export async function sendCard(
  browser: TestBrowser,
  view: View,
  shop: Merchant,
  card: typeof goodCard,
  changes: Record<string, unknown> = noAddresses,
): Promise<OpenPage> {
  const opened = await open(browser, (await cardPayment(shop, changes)).path, view);
  await stayOnPage(opened);
  await payBy(opened, card);
  return opened;
}

/** Opens the page of a payment that ended before. */
export async function reopen(
  browser: TestBrowser,
  view: View,
  shop: Merchant,
  card: typeof goodCard,
): Promise<OpenPage> {
  const payment = await cardPayment(shop);
  const first = await open(browser, payment.path, view);
  await stayOnPage(first);
  await payBy(first, card);
  await first.page.goto(origin() + payment.path);
  return first;
}
