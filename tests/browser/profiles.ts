import type { Browser, BrowserContext, Page } from 'playwright-core';

/** How a page is looked at. */
export interface View {
  /** CSS pixels; 1280 × 800 where not said. */
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** BCP 47, `en-GB` where not said. */
  readonly locale?: string;
  /** `Europe/Berlin` where not said. */
  readonly timezone?: string;
  readonly javaScript?: boolean;
  /**
   * A profile in which nothing else is loaded, before or after: for what is measured, and for what cannot be undone, such
   * as a script of every page.
   */
  readonly unused?: boolean;
}

/** A tab, with what reports the refusals of its policy. */
export interface Tab {
  readonly page: Page;
  /** Replaced by what looks at the page. */
  onRefusal: (text: string) => void;
}

/** A browser profile with an empty page. */
export interface Profile {
  readonly context: BrowserContext;
  readonly tab: Tab;
  /** Ends what was done in it, and keeps it for the next one. */
  readonly giveBack: () => Promise<void>;
}

const size = ({ width = 1280, height = 800 }: View) => ({ width, height });

/** What a page cannot change once it is open. */
const keyOf = ({ locale, timezone, javaScript }: View) => JSON.stringify([locale, timezone, javaScript]);

/**
 * The profiles of a browser. One that was given back has no cookies, storage, routes or permissions, but its process still
 * knows the scripts and styles that it read: to start a process and compile them takes half of the time of a page.
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
          // It ended, or has a clock that nothing removes.
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

/** Nothing removes a script of every page: it would run in the next test as well. */
function refuseLastingScripts(...places: readonly (BrowserContext | Page)[]): void {
  for (const place of places) {
    place.addInitScript = () =>
      Promise.reject(new Error('open the page with `unused` for a script of every page'));
  }
}

/** Leaves nothing of what was done in a profile. */
async function clear(page: Page, context: BrowserContext): Promise<void> {
  const hasOwnClock = await page.evaluate<boolean>("!String(setTimeout).includes('[native code]')");
  if (hasOwnClock) throw new Error('an installed clock stays');
  // Refused on a page without an origin.
  await page.evaluate('sessionStorage.clear()').catch(() => {});
  removeListeners(page);
  // A page that would keep people from leaving with unsaved changes.
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

/** Those of tests: Playwright has listeners of its own for other events. */
function removeListeners(page: Page): void {
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'response'] as const) {
    page.removeAllListeners(event);
  }
}
