import { Merchant } from '../../support/merchant.ts';
import { cardPayment, type goodCard, openLiveShop, origin, payBy, stayOnPage } from '../checkout-world.ts';
import type { OpenPage, TestBrowser, View } from '../harness.ts';

/** The shops whose payments the states are states of. */
export interface Shops {
  readonly cards: Merchant;
  readonly banks: Merchant;
  /** Asks for 3-D Secure, so that a bank can refuse a card on the page. */
  readonly strict: Merchant;
  /** Live, with the processor's own fields. */
  readonly live: Merchant;
  /** Live and suspended since. */
  readonly suspended: Merchant;
  /** Its clock has moved past every deadline. */
  readonly late: Merchant;
}

/** Opens the shops that all states share. */
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

/** One thing that the page can show. */
export interface CheckoutState {
  readonly name: string;
  /** A part of what an English reader has before them. */
  readonly says: string;
  /** Brings a fresh browser there. */
  readonly reach: (browser: TestBrowser, view: View, shops: Shops) => Promise<OpenPage>;
}

export const noAddresses = { success_url: null, failure_url: null };
export const open = (browser: TestBrowser, path: string, view: View) => browser.open(origin(), path, view);

/** Opens a new payment's page, types the card and sends it. */
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

/** A payment that ended before anybody opens its page. */
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
