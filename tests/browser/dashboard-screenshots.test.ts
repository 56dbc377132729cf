import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { startBrowser, type TestBrowser, type View } from './harness.ts';
import { dashboardPages, pictureOf } from './screenshots/dashboard.ts';
import { type DashboardShop, openDashboardShop } from './screenshots/dashboard-shop.ts';

/** The folder that `npm run screenshots` sets. Without it the test takes one picture and discards it. */
const folder = process.env.TILL_SCREENSHOTS;
/** If set, every page is pictured; otherwise only the few that the documentation shows. */
const every = process.env.TILL_SCREENSHOTS_EVERY !== undefined;
/** The number of days for which the shop has been selling. */
const days = folder === undefined ? 1 : 35;

const looks: Readonly<Record<string, View>> = {
  desktop: { width: 1280, height: 640 },
  'desktop-dark': { width: 1280, height: 640, colorScheme: 'dark' },
  phone: { width: 390, height: 844 },
  'phone-dark': { width: 390, height: 844, colorScheme: 'dark' },
};

const shown: readonly (readonly [page: string, look: string])[] = [
  ['payments', 'desktop'],
  ['home', 'desktop'],
  ['payment', 'desktop'],
  ['dispute', 'desktop-dark'],
  ['webhook', 'desktop'],
  ['logs', 'desktop'],
  ['sandbox', 'desktop'],
];
const all = dashboardPages.flatMap(({ name }) => Object.keys(looks).map((look) => [name, look] as const));
const pictured = every ? all : folder === undefined ? shown.slice(0, 1) : shown;

const cleanUp = new CleanUp();
let browser: TestBrowser;
let place: DashboardShop;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  place = await openDashboardShop(cleanUp, days);
}, 180_000);
afterAll(cleanUp.run);

it.each(pictured)('%s can be pictured (%s) in at most 150 kB', async (name, look) => {
  const page = dashboardPages.find((one) => one.name === name);
  if (page === undefined) throw new Error(`there is no page ${name}`);
  const picture = await pictureOf(browser, place, page, looks[look] ?? {});
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect(picture.length).toBeLessThanOrEqual(150_000);
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `dashboard-${name}-${look}.png`), picture);
});
