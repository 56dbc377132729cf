import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';
import { type CheckoutState, checkoutStates, openShops, type Shops } from './screenshots/checkout.ts';

let browser: TestBrowser;
let shops: Shops;

beforeAll(async () => {
  [browser, shops] = await Promise.all([startBrowser(), openShops()]);
});
afterAll(() => browser.close());

/** Checks one page in every width and colour scheme, without loading it again. */
async function look({ page, violations, sidewaysScroll }: OpenPage) {
  const found: unknown[] = [];
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await violations('colours');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await violations();
    const scroll = await sidewaysScroll();
    if (dark.length + light.length > 0 || scroll > 0) found.push({ width, dark, light, scroll });
  }
  return found;
}

const mainText = async ({ page }: OpenPage) =>
  (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');

async function check(state: CheckoutState, locale: string, direction: string) {
  const opened = await state.reach(browser, { locale }, shops);
  try {
    expect(await opened.page.evaluate('document.documentElement.lang + document.documentElement.dir')).toBe(
      locale.slice(0, 2) + direction,
    );
    if (locale === 'en-GB') expect(await mainText(opened)).toContain(state.says);
    expect(await look(opened)).toEqual([]);
    expect(await opened.page.locator('h1').count()).toBe(1);
    expect(await opened.page.title()).toMatch(/\S/);
    const { errors, policy, foreign } = opened.faults();
    expect({ errors, policy }).toEqual({ errors: [], policy: [] });
    expect(foreign.filter((url) => !/^https:\/\/(shop\.example|www\.paypal\.com)\//.test(url))).toEqual([]);
  } finally {
    await opened.close();
  }
}

describe.each(checkoutStates)('$name', (state) => {
  it.each([
    ['en-GB', 'ltr'],
    ['ar', 'rtl'],
  ])('breaks no rule of WCAG 2.2 AA, in %s, light and dark, narrow and wide', (locale, direction) =>
    check(state, locale, direction),
  );
});
