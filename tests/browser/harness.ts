import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { prepareOnce } from '../support/prepare-once.ts';
import { until } from '../support/until.ts';
import { openTab, type Profile, Profiles, type Tab, type View } from './profiles.ts';

export type { View } from './profiles.ts';

/** Problems that a page has reported on its own. */
export interface Faults {
  /**
   * Console errors and uncaught errors, except the browser's messages about 4xx and 5xx responses and about the policy.
   */
  readonly errors: readonly string[];
  /** Violations of the content security policy. */
  readonly policy: readonly string[];
  /** URLs of other origins that the page has requested. */
  readonly foreign: readonly string[];
}

/** An axe rule that the page breaks, with the elements that break it. */
export interface Violation {
  readonly rule: string;
  readonly impact: string;
  readonly help: string;
  readonly elements: readonly string[];
}

/** A page in its own browser profile. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: () => Faults;
  /**
   * Checks the page in its present state against WCAG 2.0 to 2.2 A and AA and the best practices. With `colours` it
   * applies only the rules about colours, for a page that was already checked in other colours.
   */
  readonly violations: (what?: 'colours') => Promise<Violation[]>;
  /** How many CSS pixels the content is wider than the window; 0 if nothing scrolls sideways. */
  readonly sidewaysScroll: () => Promise<number>;
  /**
   * Expects that the page breaks no rule, in light and dark colours, and does not scroll sideways. Leaves the page
   * light.
   */
  readonly expectAccessible: () => Promise<void>;
  /**
   * Waits for something that the page shows after it polls or retries. It advances the clock of the page, so that no
   * real time passes. Call `page.clock.install()` before opening the page.
   */
  readonly fastForwardUntil: (what: Locator) => Promise<void>;
  /** Waits until the focus is on the element with this text. */
  readonly untilFocusOn: (text: string) => Promise<void>;
  /**
   * Waits until an expression is true in the page. Use this or locators instead of Playwright's `waitForFunction`,
   * which evaluates text inside the page, as a strict policy forbids.
   */
  readonly until: (expression: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface TestBrowser {
  /** Opens a URL, or an empty page. `origin` is the only origin that the page may request. */
  readonly open: (origin: string, path?: string, view?: View) => Promise<OpenPage>;
  /** Opens another page in the same profile, as a second tab. */
  readonly tab: (opened: OpenPage, origin: string, path?: string) => Promise<OpenPage>;
  readonly close: () => Promise<void>;
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const standards = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Style sheets are not preloaded: only one rule needs them, an experimental one that is not run. */
const preload = { assets: ['media'] };
/** Every rule of the standards above that a change of colours alone can break. */
const ofColours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Switches of the packaged browser that would make it more lenient or less stable than the browsers that people use.
 */
const unwanted = /^--(disable-web-security|allow-running-insecure-content|single-process|no-zygote)$/;

const lessWork = [
  // The next page of a profile runs in the process of the previous one, which has compiled its scripts.
  '--process-per-site',
  // A page lives only for a second or two: optimizing compilers and concurrent garbage collection cost more than they
  // save.
  '--js-flags=--single-threaded --min-semi-space-size=16 --max-optimized-bytecode-size=1',
  // The features that the package disables, repeated because the last list counts, and those that move a page to
  // another process.
  '--disable-features=AudioServiceOutOfProcess,IsolateOrigins,site-per-process,BackForwardCache,ProactivelySwapBrowsingInstance',
];

let running: Promise<Profiles> | undefined;

/**
 * Starts a browser that was installed by npm, in which every page has its own profile. All test files of a process
 * share it, because unpacking and starting it takes seconds. It ends with the process; `close` closes the profiles.
 */
export async function startBrowser(): Promise<TestBrowser> {
  running ??= launch().then((browser) => new Profiles(browser));
  const profiles = await running;
  const used = new Set<Profile>();
  const giveBack = async (profile: Profile) => {
    if (used.delete(profile)) await profile.giveBack();
  };
  return {
    async open(origin, path, view) {
      const profile = await profiles.take(view);
      used.add(profile);
      return watch(profile.context, profile.tab, () => giveBack(profile), origin, path);
    },
    async tab(of, origin, path) {
      const tab = await openTab(of.context);
      return watch(of.context, tab, () => tab.page.close(), origin, path);
    },
    async close() {
      await Promise.all([...used].map(giveBack));
    },
  };
}

/** Starts the browser. The first of all processes unpacks it. */
async function launch(): Promise<Browser> {
  const before = { ...process.env };
  try {
    const folder = await prepareOnce('browser', async (path) => {
      await (await packagedIn(path)).executablePath();
      await writeFile(join(path, 'fonts', 'fonts.conf'), fontsIn(path));
    });
    const packaged = await packagedIn(folder);
    return await chromium.launch({
      executablePath: await packaged.executablePath(),
      args: [
        ...packaged.args.filter((arg) => !unwanted.test(arg)),
        '--disable-background-networking',
        ...lessWork,
      ],
      headless: true,
    });
  } finally {
    for (const name of ['TMPDIR', 'AWS_LAMBDA_JS_RUNTIME', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH'] as const) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** The packaged browser. Its first `executablePath` unpacks it into a folder and changes the environment. */
async function packagedIn(folder: string) {
  // The package reads both variables while it is loaded: the folder to unpack into, and that its own libraries are
  // used.
  Object.assign(process.env, { AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x', TMPDIR: folder });
  const { default: packaged } = await import('@sparticuz/chromium');
  packaged.setGraphicsMode = false;
  return packaged;
}

/**
 * The packaged font list names folders of its own, and a browser that finds no font at all crashes at the first input.
 */
const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;

async function watch(
  context: BrowserContext,
  tab: Tab,
  close: () => Promise<void>,
  origin: string,
  path?: string,
): Promise<OpenPage> {
  const { page } = tab;
  const errors: string[] = [];
  const policy: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    // Policy violations are collected separately, and a test may expect a 4xx or 5xx response.
    const known = /^Failed to load resource:|Content Security Policy/.test(message.text());
    if (message.type() === 'error' && !known) errors.push(message.text());
  });
  tab.onRefusal = (text) => policy.push(text);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== new URL(origin).origin) foreign.push(url.href);
  });
  if (path !== undefined) await page.goto(new URL(path, origin).href);
  const check = checksOf(page);
  return {
    ...check,
    page,
    context,
    faults: () => ({ errors: [...errors], policy: [...policy], foreign: [...foreign] }),
    close,
  };
}

function checksOf(
  page: Page,
): Pick<
  OpenPage,
  'violations' | 'sidewaysScroll' | 'expectAccessible' | 'fastForwardUntil' | 'untilFocusOn' | 'until'
> {
  const violations: OpenPage['violations'] = (what) => violationsOf(page, what === 'colours');
  const sidewaysScroll = () =>
    page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
  const untilTrue: OpenPage['until'] = async (expression) => {
    await until(expression, () => page.evaluate<boolean>(`Boolean(${expression})`));
  };
  return {
    violations,
    sidewaysScroll,
    until: untilTrue,
    fastForwardUntil: async (what) => {
      await until(String(what), async () => {
        if ((await what.count()) > 0 && (await what.first().isVisible())) return true;
        await page.clock.fastForward(1000);
        return false;
      });
    },
    untilFocusOn: (text) => untilTrue(`document.activeElement?.textContent === ${JSON.stringify(text)}`),
    async expectAccessible() {
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations('colours')).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await violations()).toEqual([]);
      expect(await sidewaysScroll()).toBe(0);
    },
  };
}

let axeText: Promise<string> | undefined;

// Sent through the debugger, which is not subject to any content security policy, so the page keeps its own policy.
async function violationsOf(page: Page, colours: boolean): Promise<Violation[]> {
  axeText ??= readFile(axeFile, 'utf8');
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${await axeText};undefined`);
  const runOnly = colours ? ofColours : standards;
  // Rules that the page satisfies are not transferred, which saves a tenth of the time.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'], preload })}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, impact, help, nodes }) => ({
    rule: id,
    impact: impact ?? 'none',
    help,
    elements: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary ?? ''}`),
  }));
}
