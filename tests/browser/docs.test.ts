import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { target } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';

const { baseUrl } = target();
let browser: TestBrowser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const overview = await (await fetch(`${baseUrl}/docs`)).text();
const pages = [...new Set([...overview.matchAll(/href="(\/docs[\w/-]*)"/g)].map(([, path = '']) => path))];
const referenceDrawn = (colours = 'light') =>
  `document.querySelector('#reference').dataset.drawn === '${colours}' &&
   document.querySelector('#reference h2') !== null`;
/** True if every scrolling region is in the tab order. The page updates its regions after their size has changed. */
const everyScrollIsAStop = `[...document.querySelectorAll('.table, .code pre')].every(
  (region) => region.tabIndex === 0 || region.scrollWidth <= region.clientWidth)`;
/** Each combination of text colour and background in the reference, once. */
const coloursOfText = `[...new Set([...document.querySelectorAll('#reference .api-content *')]
  .filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE))
  .map((element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    return color + ' on ' + backgroundColor;
  }))].sort()`;
/** Each page is checked in both looks, because a rule can be broken by colours or by the width. */
const looks = [
  { width: 1280, colours: 'light' },
  { width: 320, colours: 'dark' },
] as const;

/**
 * Waits until the expression is true, and expects that the page breaks no rule in this width and these colours and does
 * not scroll sideways.
 */
async function expectNothingBroken(
  { page, until, violations, sidewaysScroll }: OpenPage,
  { width, colours }: (typeof looks)[number],
  isDrawn: string,
): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: colours });
  await until(isDrawn);
  expect(await violations(), `${page.url()} ${width} ${colours}`).toEqual([]);
  expect(await sidewaysScroll(), `${page.url()} ${width}`).toBe(0);
}

/** Opens a page, runs a callback with it, and expects that nothing went wrong meanwhile. */
async function on(
  path: string,
  act: (opened: OpenPage) => Promise<void>,
  view: Parameters<TestBrowser['open']>[2] = {},
): Promise<void> {
  const opened = await browser.open(baseUrl, path, view);
  try {
    await act(opened);
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
  } finally {
    await opened.close();
  }
}

describe('every page', () => {
  it('is one of many', () => {
    expect(pages.length).toBeGreaterThan(15);
  });

  it.each([...pages.filter((path) => path !== '/docs/reference'), '/docs/nothing'])(
    '%s breaks no rule of WCAG 2.2 AA, light and dark, wide and narrow, and loads nothing from other origins',
    (path) =>
      on(path, async (opened) => {
        for (const look of looks) await expectNothingBroken(opened, look, everyScrollIsAStop);
      }),
  );
});

describe('the reference', () => {
  // The reference takes seconds to render, so these tests share one page.
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await browser.open(baseUrl, '/docs/reference#tag/Payments/operation/createPayment');
    await opened.until(referenceDrawn());
  });
  afterAll(async () => {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  });

  it('has every address that the search leads to', async () => {
    const { page } = opened;
    const address = await page.locator('.bar').getAttribute('data-search');
    const index = (await (await fetch(`${baseUrl}${address}`)).json()) as string[][];
    const ids = index.flatMap(([to = '']) => (to.startsWith('/docs/reference#') ? [to.split('#')[1]] : []));
    expect(ids.length).toBeGreaterThan(25);
    const there = await page.evaluate<string[]>(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`);
    // Disputes and files are available only if the operator has turned them on.
    const missing = ids.filter(
      (id = '') => !there.includes(id.replace(/^tag\/[^/]+\//, '')) && !there.includes(id),
    );
    expect(missing.filter((id) => !/^tag\/(Disputes|Files)\//.test(id ?? ''))).toEqual([]);
  });

  it('works by keyboard', async () => {
    const { page, until } = opened;
    const refunds = page.locator('.menu-content [role="menuitem"]', { hasText: /^Refunds$/ });
    await refunds.focus();
    await page.keyboard.press('Enter');
    const create = page.locator('.menu-content li[role="menuitem"]', { hasText: 'Give money back' });
    await create.focus();
    await page.keyboard.press('Enter');
    await until(`location.hash.includes('createRefund')`);
  });

  // The WCAG rules for these colours are checked in the test that uses the system's setting.
  it('is redrawn in the colours of a changed theme', async () => {
    const { page, until } = opened;
    const change = async (theme: string) => {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      await until(referenceDrawn(theme));
    };
    const light = await page.evaluate<string[]>(coloursOfText);
    await change('dark');
    const dark = await page.evaluate<string[]>(coloursOfText);
    expect(dark.length).toBeGreaterThan(5);
    expect(dark).not.toEqual(light);
    await page.evaluate(`delete document.documentElement.dataset.theme`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(referenceDrawn('dark'));
    expect(dark).toEqual(await page.evaluate<string[]>(coloursOfText));
  });

  // The page has 23,000 elements, so each check is its own test. The page is dark at this point.
  it.each(looks.toReversed())('breaks no rule of WCAG 2.2 AA, $width pixels wide', async (look) => {
    await expectNothingBroken(opened, look, referenceDrawn(look.colours));
  });

  it('lists every operation where there is no script', () =>
    on(
      '/docs/reference',
      async ({ page }) => {
        expect(await page.locator('#reference').innerText()).toContain('POST /api/v1/payments');
      },
      { javaScript: false },
    ));
});

describe('the search', () => {
  it('opens by Ctrl K, searches while typing, and opens a result by Enter', () =>
    on('/docs/cards', async ({ page, until, violations }) => {
      await page.keyboard.press('Control+k');
      const input = page.getByRole('combobox', { name: 'Search the documentation' });
      await input.pressSequentially('key_reused');
      await until(`document.querySelector('[role="option"]')?.textContent.includes('key_reused')`);
      expect(await input.getAttribute('aria-activedescendant')).toBe('found-0');
      expect(await violations()).toEqual([]);
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('[aria-selected="true"][role="option"]').count()).toBe(1);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/errors#key_reused');
    }));

  it('says when nothing matches, and returns the focus when it closes', () =>
    on('/docs/cards', async ({ page, until }) => {
      const button = page.getByRole('button', { name: /Search/ });
      await button.click();
      await page.getByRole('combobox').fill('zzzz');
      await until(`document.querySelector('.search-status').textContent === 'Nothing found.'`);
      await page.keyboard.press('Escape');
      await until(`document.activeElement?.id === 'search-open'`);
    }));
});

describe('code', () => {
  it('in several languages has tabs, moved by arrow keys and synchronized on every page', () =>
    on('/docs/refunds', async ({ page, until }) => {
      const tabs = page.getByRole('tablist').first().getByRole('tab');
      expect(await tabs.allInnerTexts()).toEqual(['curl', 'TypeScript']);
      await tabs.first().focus();
      await page.keyboard.press('ArrowRight');
      await until(`document.activeElement?.textContent === 'TypeScript'`);
      const hidden = `[...document.querySelectorAll('.tabs [data-language="sh"]')].every(({ hidden }) => hidden)`;
      expect(await page.evaluate(hidden)).toBe(true);
      await page.goto(`${baseUrl}/docs/cards`);
      await until(hidden);
    }));

  it('names this server’s address, and is copied as shown', () =>
    on('/docs/quickstart', async ({ page, context, until }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const block = page.locator('.code', { hasText: 'export TILL=' });
      expect(await block.locator('code').innerText()).toContain(`export TILL=${baseUrl}/api/v1`);
      await block.getByRole('button', { name: 'Copy' }).click();
      await until(`document.querySelector('#announcer')?.textContent === 'Copied'`);
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(await block.locator('code').textContent());
    }));

  it('is shown completely without a script', () =>
    on(
      '/docs/refunds',
      async ({ page }) => {
        expect(await page.locator('.tabs .code').first().isVisible()).toBe(true);
        expect(await page.locator('.tabs .code').nth(1).isVisible()).toBe(true);
        expect(await page.getByRole('button').count()).toBe(0);
      },
      { javaScript: false },
    ));
});

describe('the table of test cards', () => {
  it('is filtered by words and processor, and by the address', () =>
    on('/docs/testing?find=CCREJECT-REFUSED', async ({ page, until }) => {
      const rows = page.locator('.triggers tbody tr:not([hidden])');
      await until(`document.querySelectorAll('.triggers tbody tr:not([hidden])').length === 1`);
      expect(await rows.innerText()).toContain('do_not_honor');
      const words = page.getByLabel('Find a card or trigger');
      await words.fill('wallet');
      await page.getByLabel('Processor', { exact: true }).selectOption('A');
      expect(await page.getByRole('status').first().innerText()).toBe('Nothing fits.');
      await page.getByLabel('Processor', { exact: true }).selectOption('B');
      expect(await rows.count()).toBeGreaterThan(2);
      await words.fill('');
      expect(await rows.count()).toBeGreaterThan(100);
    }));
});

describe('on a phone', () => {
  it('the menu opens over the page and closes again, also without a script', async () => {
    for (const javaScript of [true, false]) {
      await on(
        '/docs/cards',
        async ({ page, violations }) => {
          const navigation = page.getByRole('navigation', { name: 'Documentation' });
          expect(await navigation.isVisible()).toBe(false);
          await page.getByRole('link', { name: 'Menu', exact: true }).click();
          expect(await navigation.isVisible()).toBe(true);
          if (javaScript) expect(await violations()).toEqual([]);
          await page.getByRole('link', { name: 'Close menu' }).click();
          expect(await navigation.isVisible()).toBe(false);
        },
        { width: 320, javaScript },
      );
    }
  });
});

describe('the theme', () => {
  it('goes from the system to light and dark and is remembered', () =>
    on('/docs/cards', async ({ page, until }) => {
      const button = page.getByRole('button', { name: /^Colours/ });
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const light = await background();
      await button.click();
      expect(await background()).toBe(light);
      await button.click();
      expect(await button.getAttribute('aria-label')).toBe('Colours: dark. Change');
      expect(await background()).not.toBe(light);
      await page.goto(`${baseUrl}/docs/refunds`);
      await until(`document.documentElement.dataset.theme === 'dark'`);
    }));
});

describe('the keyboard', () => {
  it('reaches the content at once', () =>
    on('/docs/cards', async ({ page, until }) => {
      await page.keyboard.press('Tab');
      await until(`document.activeElement?.textContent === 'Skip to content'`);
      await page.keyboard.press('Enter');
      await until(`location.hash === '#content'`);
      await page.keyboard.press('Tab');
      await until(`document.activeElement?.closest('main') !== null`);
    }));
});
