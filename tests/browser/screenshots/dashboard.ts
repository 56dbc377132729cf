import type { Browser } from '../../support/dashboard.ts';
import type { Target } from '../../support/merchant.ts';
import type { OpenPage, TestBrowser, View } from '../harness.ts';
import type { DashboardShop } from './dashboard-shop.ts';

/** One page of the dashboard. */
export interface DashboardPage {
  readonly name: string;
  /** The path below the account. */
  readonly path: (ids: DashboardShop['ids']) => string;
  /** Text that the page shows once everything has loaded, in a shop with objects in every state. */
  readonly shows: string | RegExp;
  /** Text of the page in a new shop; absent if it is the same, or if there is no such page. */
  readonly empty?: string;
}

const at = (path: string) => () => path;

/** Every page of an account. */
export const dashboardPages: readonly DashboardPage[] = [
  {
    name: 'home',
    path: at(''),
    shows: 'events arrived at the first attempt',
    empty: 'No payments in the last 60 days',
  },
  { name: 'payments', path: at('/payments'), shows: 'order-10386', empty: 'No payments yet' },
  { name: 'payment', path: ({ paid }) => `/payments/${paid}`, shows: 'Risk data' },
  { name: 'payment-held', path: ({ held }) => `/payments/${held}`, shows: 'Guaranteed until' },
  {
    name: 'payment-failed',
    path: ({ failed }) => `/payments/${failed}`,
    shows: 'Insufficient funds: no money was taken',
  },
  { name: 'refunds', path: at('/refunds'), shows: 'order-10384', empty: 'No refunds yet' },
  {
    name: 'payment-links',
    path: at('/payment-links'),
    shows: 'Barista course',
    empty: 'No payment links yet',
  },
  { name: 'payment-link', path: ({ link }) => `/payment-links/${link}`, shows: 'Came in' },
  { name: 'approvals', path: at('/approvals'), shows: 'Support bot', empty: 'Nothing waits for approval' },
  { name: 'customers', path: at('/customers'), shows: 'Ada Lindqvist', empty: 'No customers yet' },
  { name: 'customer', path: ({ customer }) => `/customers/${customer}`, shows: 'Can be charged' },
  { name: 'disputes', path: at('/disputes'), shows: 'Not received', empty: 'No dispute waits for you' },
  { name: 'dispute', path: ({ dispute }) => `/disputes/${dispute}`, shows: 'Submit defence…' },
  { name: 'payouts', path: at('/payouts'), shows: 'All match', empty: 'No payouts yet' },
  { name: 'payout', path: ({ payout }) => `/payouts/${payout}`, shows: 'Batch or time' },
  { name: 'keys', path: at('/developers/keys'), shows: 'Shop server' },
  { name: 'webhooks', path: at('/developers/webhooks'), shows: 'Failing', empty: 'No webhook endpoints yet' },
  {
    name: 'webhook',
    path: ({ endpoint }) => `/developers/webhooks/${endpoint}`,
    shows: 'payment.succeeded',
  },
  { name: 'events', path: at('/developers/events'), shows: 'dispute.created', empty: 'No events yet' },
  { name: 'logs', path: at('/developers/logs'), shows: 'key_reused', empty: 'No requests yet' },
  { name: 'sandbox', path: at('/sandbox'), shows: 'order-10383', empty: 'No payment waits for its buyer' },
  {
    name: 'sandbox-refunds',
    path: at('/sandbox?play=refunds'),
    shows: 'Let it fail',
    empty: 'No refund is pending',
  },
  {
    name: 'sandbox-disputes',
    path: at('/sandbox?play=disputes'),
    shows: 'Open the dispute',
    empty: 'No disputes yet',
  },
  { name: 'mails', path: at('/mails'), shows: '129.00 EUR is disputed', empty: 'No mail was written yet' },
  { name: 'business', path: at('/settings/business'), shows: 'Account id' },
  { name: 'branding', path: at('/settings/branding'), shows: 'Preview' },
  { name: 'payment-settings', path: at('/settings/payments'), shows: 'Save cards and wallets of customers' },
  { name: 'connection', path: at('/settings/connection'), shows: 'Live credentials' },
  { name: 'team', path: at('/settings/team'), shows: 'nora@harbour.example' },
  { name: 'security', path: at('/settings/security'), shows: 'This session' },
  { name: 'audit', path: at('/settings/audit'), shows: 'member.invited' },
  { name: 'go-live', path: at('/settings/go-live'), shows: 'Requirements done' },
  { name: 'environment', path: at('/settings/environment'), shows: 'Keys that stop working' },
];

/** A page in the browser of a signed-in person. */
export interface SignedIn extends OpenPage {
  /** Loads a page of an account. */
  readonly goTo: (account: string, path: string) => Promise<void>;
  /**
   * Goes to a page of an account and waits for its text. Uses the dashboard's own navigation once it is open, because
   * loading the page anew takes three times as long.
   */
  readonly walkTo: (account: string, path: string, shows: string | RegExp) => Promise<void>;
}

/** Opens an empty page in the browser of a signed-in person. */
export async function openSignedIn(
  browser: TestBrowser,
  { baseUrl }: Target,
  staff: Browser,
  view?: View,
): Promise<SignedIn> {
  const opened = await browser.open(baseUrl, undefined, view);
  const { page } = opened;
  const [name = '', value = ''] = (staff.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  const goTo = async (account: string, path: string) => {
    await page.goto(`${baseUrl}/dashboard/${account}${path}`);
  };
  return {
    ...opened,
    goTo,
    async walkTo(account, path, shows) {
      const words = page.getByText(shows).first();
      const isInAccount = page.url().startsWith(`${baseUrl}/dashboard/${account}`);
      // Text that is already visible would not show whether the page has changed.
      if (isInAccount && !(await words.isVisible())) {
        await page.evaluate(`history.pushState(null, '', '/dashboard/${account}${path}')`);
      } else {
        await goTo(account, path);
      }
      await words.waitFor();
    },
  };
}

/** Takes a picture of the visible part of the page as a PNG file. */
export async function pictureOf(
  browser: TestBrowser,
  { place, shop, owner, ids }: DashboardShop,
  { path, shows }: DashboardPage,
  view: View,
): Promise<Buffer> {
  const opened = await openSignedIn(browser, place, owner, view);
  try {
    await opened.goTo(shop.id, path(ids));
    await opened.page.getByText(shows).first().waitFor();
    return await opened.page.screenshot({ animations: 'disabled' });
  } finally {
    await opened.close();
  }
}
