/**
 * Measures the largest contentful paint, the layout shift and the loaded bytes of the dashboard's Home and Payments, in a browser
 * with an empty cache on a slow phone line (150 ms, 1.6 Mbit/s and a quarter of the CPU). Run after `npm run build`:
 * `node --import tsx --conditions=source bench/dashboard/first-paint.ts [--payments N] [--rounds N]`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { Cleanup } from '../support/cleanup.ts';
import { removeFolder, startTill, type Till } from '../support/till.ts';
import { seedPayments } from './dashboard-seed.ts';

const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const slowdown = 4;
const [email, password] = ['bench@shop.example', 'a long enough password'];
/** Default flags that would make the packaged browser more lenient than a user's browser. */
const unwanted = /^--(disable-web-security|allow-running-insecure-content|single-process|no-zygote)$/;

interface Visit {
  /** Milliseconds from the navigation to the largest content. */
  readonly lcp: number;
  /** Cumulative layout shift. */
  readonly cls: number;
  readonly bytes: number;
  /** Seconds of scripts on the throttled main thread. Of all figures, other load on the machine affects this one the least. */
  readonly script: number;
}

/** A script that runs in the page before anything else. */
const observe = `window.seen = { lcp: 0, what: '', cls: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      seen.lcp = entry.startTime;
      seen.what = (entry.element?.tagName ?? '') + ' ' + (entry.element?.textContent ?? '').slice(0, 40);
    }
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.cls += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

async function launch(cleanup: Cleanup): Promise<Browser> {
  const { default: packaged } = await import('@sparticuz/chromium');
  packaged.setGraphicsMode = false;
  const executablePath = await packaged.executablePath();
  const args = packaged.args.filter((arg) => !unwanted.test(arg));
  const browser = await chromium.launch({ executablePath, args, headless: true });
  cleanup.add(() => browser.close());
  return browser;
}

/** Signs a user in. @returns the cookies of the session */
async function signIn(browser: Browser, origin: string, account: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard/${account}`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === `/dashboard/${account}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

async function throttle(
  context: BrowserContext,
  page: Page,
): Promise<() => Promise<Pick<Visit, 'bytes' | 'script'>>> {
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Performance.enable');
  await debug.send('Network.emulateNetworkConditions', line);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  let bytes = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    return { bytes, script: metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0 };
  };
}

async function visit(
  browser: Browser,
  url: string,
  state: Awaited<ReturnType<typeof signIn>>,
): Promise<Visit> {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(observe);
    const loaded = await throttle(context, page);
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const seen = await page.evaluate<{ lcp: number; cls: number; what: string }>('seen');
    if (process.env.TILL_BENCH_DEBUG !== undefined) console.error(seen);
    return { ...seen, ...(await loaded()) };
  } finally {
    await context.close();
  }
}

const middle = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

async function measure(till: Till, rounds: number, cleanup: Cleanup): Promise<void> {
  const origin = `http://127.0.0.1:${till.port}`;
  const parameters = [
    '--account',
    till.accountId,
    '--email',
    email,
    '--password',
    password,
    '--role',
    'owner',
  ];
  await till.command('users', 'create', ...parameters);
  const browser = await launch(cleanup);
  const state = await signIn(browser, origin, till.accountId);
  for (const [name, path, target] of [
    ['Home', '', 1.8],
    ['Payments', '/payments', 2],
  ] as const) {
    const visits: Visit[] = [];
    for (let round = 0; round < rounds; round += 1) {
      visits.push(await visit(browser, `${origin}/dashboard/${till.accountId}${path}`, state));
    }
    const [lcp, cls, bytes, script] = [
      visits.map((one) => one.lcp / 1000),
      visits.map((one) => one.cls),
      visits.map((one) => one.bytes / 1000),
      visits.map((one) => one.script),
    ];
    const range = `${Math.min(...lcp).toFixed(2)} to ${Math.max(...lcp).toFixed(2)}`;
    console.log(
      `${name}: LCP ${middle(lcp).toFixed(2)} s (${range}; target ${target}), CLS ${middle(cls).toFixed(3)}, ${middle(bytes).toFixed(0)} kB, scripts ${middle(script).toFixed(2)} s`,
    );
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { payments: { type: 'string', default: '1100' }, rounds: { type: 'string', default: '5' } },
  });
  const cleanup = new Cleanup();
  cleanup.onAbruptEnd();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
    cleanup.add(() => removeFolder(folder));
    const till = await startTill(folder, null, cleanup);
    await seedPayments(till.db, till.accountId, Number(values.payments));
    await measure(till, Number(values.rounds), cleanup);
  } finally {
    await cleanup.run();
  }
}

await main();
