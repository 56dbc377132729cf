import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The properties of a browser window. */
export interface View {
  /** CSS pixels; 1280 × 800 by default. */
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** A BCP 47 tag; `en-GB` by default. */
  readonly locale?: string;
  /** `Europe/Berlin` by default. */
  readonly timezone?: string;
  readonly javaScript?: boolean;
  /**
   * Uses a fresh profile that is not used again: for measurements, and for changes that cannot be undone, such as a
   * script that runs on every page.
   */
  readonly unused?: boolean;
}

/** A tab, with a callback for violations of its policy. */
export interface Tab {
  readonly page: Page;
  /** Replaced by the test that observes the page. */
  onRefusal: (text: string) => void;
}

/** A browser profile with an empty page. */
export interface Profile {
  readonly context: BrowserContext;
  readonly tab: Tab;
  /** Cleans the profile up and keeps it for the next use. */
  readonly giveBack: () => Promise<void>;
}

const size = ({ width = 1280, height = 800 }: View) => ({ width, height });

/** The properties that cannot change once a page is open. */
const keyOf = ({ locale, timezone, javaScript }: View) => JSON.stringify([locale, timezone, javaScript]);

/**
 * The profiles of a browser. A profile that was given back has no cookies, storage, routes or permissions, but its
 * process has already compiled the scripts and styles it loaded. Starting a process and compiling them takes half of
 * the time of a page.
 */
export class Profiles {
  readonly #browser: Browser;
  readonly #idle = new Map<string, Profile[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async take(view: View = {}): Promise<Profile> {
    const kept = view.unused === true ? undefined : this.#idle.get(keyOf(view))?.pop();
    const profile = kept ?? (await this.#create(view));
    await profile.tab.page.setViewportSize(size(view));
    await profile.tab.page.emulateMedia({ colorScheme: view.colorScheme ?? 'light' });
    return profile;
  }

  async #create(view: View): Promise<Profile> {
    const context = await this.#browser.newContext({
      viewport: size(view),
      locale: view.locale ?? 'en-GB',
      timezoneId: view.timezone ?? 'Europe/Berlin',
      javaScriptEnabled: view.javaScript ?? true,
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
    });
    const tab = await openTab(context);
    if (view.unused !== true) refuseLastingScripts(context, tab.page);
    const profile: Profile = {
      context,
      tab,
      giveBack: async () => {
        if (view.unused === true) return context.close();
        await clear(tab.page, context).then(
          () => this.#idle.set(keyOf(view), [...(this.#idle.get(keyOf(view)) ?? []), profile]),
          // The context has crashed, or has a fake clock that cannot be removed.
          () => context.close(),
        );
      },
    };
    return profile;
  }
}

/** Opens a tab of a profile. */
export async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const tab: Tab = { page, onRefusal: () => {} };
  await page.exposeFunction('tillRefused', (text: string) => tab.onRefusal(text));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
       tillRefused(event.effectiveDirective + ' ' + (event.blockedURI || 'inline')));`,
  );
  return tab;
}

/** A script that runs on every page cannot be removed: it would run in the next test as well. */
function refuseLastingScripts(...places: readonly (BrowserContext | Page)[]): void {
  for (const place of places) {
    place.addInitScript = () =>
      Promise.reject(new Error('open the page with `unused` for a script of every page'));
  }
}

/** Removes everything that a test has left in a profile. */
async function clear(page: Page, context: BrowserContext): Promise<void> {
  const hasOwnClock = await page.evaluate<boolean>("!String(setTimeout).includes('[native code]')");
  if (hasOwnClock) throw new Error('an installed clock stays');
  // Fails on a page without an origin.
  await page.evaluate('sessionStorage.clear()').catch(() => {});
  removeListeners(page);
  // A page with unsaved changes would ask before it is left.
  page.on('dialog', (dialog) => dialog.accept().catch(() => {}));
  await Promise.all([
    page.unrouteAll({ behavior: 'ignoreErrors' }),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
  ]);
  const origins = new Set(page.frames().map((frame) => new URL(frame.url()).origin));
  const session = await context.newCDPSession(page);
  for (const origin of origins) {
    if (origin !== 'null') await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await page.goto('about:blank');
  await session.send('Page.resetNavigationHistory');
  await session.detach();
  const others = context.pages().filter((one) => one !== page);
  await Promise.all(others.map((one) => one.close()));
  await context.setOffline(false);
  await context.clearCookies();
  await context.clearPermissions();
  removeListeners(page);
}

/** Only the listeners of tests, because Playwright has its own for other events. */
function removeListeners(page: Page): void {
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'response'] as const) {
    page.removeAllListeners(event);
  }
}
