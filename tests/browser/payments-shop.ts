import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** Merchant-supplied text that would run a script if a page used it as markup. */
export const payload = `<img src=x onerror="window.taken=1">`;

/** A shop with one payment of each kind, and the people who use the dashboard. */
export interface PaymentsShop {
  readonly shop: Merchant;
  readonly support: Browser;
  readonly viewer: Browser;
  /** The ids of the payments `yen`, `failed`, `held`, `released` and `rich`, and of the `customer` of the last one. */
  readonly ids: Readonly<Record<'yen' | 'failed' | 'held' | 'released' | 'rich' | 'customer', string>>;
  /** Opens a page of the account in the browser of a signed-in person. */
  readonly open: (path: string, staff?: Browser, view?: View) => Promise<OpenPage>;
}

const customerOf = (shop: Merchant) =>
  shop.post('/api/v1/customers', {
    email: freshEmail(),
    name: `Ada ${payload}`,
    external_id: payload,
    phone: payload,
    billing_address: { line1: payload, city: payload, country: 'DE' },
    metadata: { [payload.slice(0, 30)]: payload },
  });

async function seed(shop: Merchant): Promise<PaymentsShop['ids']> {
  const customer = (await customerOf(shop)).body.id;
  const pay = async (options: Record<string, unknown>): Promise<string> => (await shop.pay(options)).body.id;
  return {
    customer,
    yen: await pay({ currency: 'JPY', amount: 5000, reference: 'order-1' }),
    failed: await pay({ card: { holder_name: 'CCREJECT-REFUSED' }, reference: 'order-2' }),
    held: await pay({ capture_method: 'manual', reference: 'order-3' }),
    released: await pay({ capture_method: 'manual', reference: 'order-4' }),
    rich: await pay({
      reference: payload,
      customer,
      save_payment_method: true,
      shopper_statement: payload,
      description: payload,
      line_items: [{ name: payload, sku: payload, unit_amount: 4490 }],
      shipping_amount: 500,
      browser_info: { user_agent: payload, language: 'de' },
      device_fingerprint: payload.slice(0, 30),
      stc: { note: payload },
    }),
  };
}

/**
 * Opens the shop before the tests of a file, with one browser for all of them. After each test its pages must not have
 * reported any problem, and no merchant-supplied text may have run.
 */
export function openPaymentsShop(): () => PaymentsShop {
  const cleanUp = new CleanUp();
  const pages: OpenPage[] = [];
  let opened: PaymentsShop;
  beforeAll(async () => {
    const browser = await startBrowser();
    cleanUp.add(browser.close);
    const shop = await Merchant.open('processor_b');
    const support = await Browser.of(shop, 'support');
    const viewer = await Browser.of(shop, 'viewer');
    const open = async (path: string, staff = support, view?: View) => {
      const page = await openSignedIn(browser, staff, view);
      pages.push(page);
      await page.page.goto(`${target().baseUrl}/dashboard/${shop.id}${path}`);
      return page;
    };
    opened = { shop, support, viewer, ids: await seed(shop), open };
  });
  afterAll(cleanUp.run);
  afterEach(async () => {
    for (const page of pages.splice(0)) {
      expect(page.faults()).toEqual({ errors: [], policy: [], foreign: [] });
      expect(await page.page.evaluate('window.taken ?? null')).toBeNull();
      await page.close();
    }
  });
  return () => opened;
}

async function openSignedIn(browser: TestBrowser, staff: Browser, view?: View) {
  const { baseUrl } = target();
  const page = await browser.open(baseUrl, undefined, view);
  const [name = '', value = ''] = (staff.cookie ?? '').split('=');
  await page.context.addCookies([{ name, value, url: baseUrl }]);
  return page;
}

/** The rows of a list; on a phone, its cards. */
export const rowsOf = ({ page }: OpenPage) => page.locator('#main tbody tr, #main li:has([data-row])');

export const queryOf = ({ page }: OpenPage) => new URL(page.url()).searchParams;
