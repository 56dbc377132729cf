import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser, type View } from './harness.ts';
import { checkoutStates, openShops, pictureOf, type Shops } from './screenshots/checkout.ts';

/** The folder that `npm run screenshots` sets. Without it the test takes one picture and discards it. */
const folder = process.env.TILL_SCREENSHOTS;
/** If set, every state is pictured; otherwise only the few that the documentation shows. */
const every = process.env.TILL_SCREENSHOTS_EVERY !== undefined;

const looks: Readonly<Record<string, View>> = {
  phone: { width: 390, height: 844 },
  'phone-dark-ar': { width: 390, height: 844, colorScheme: 'dark', locale: 'ar' },
  desktop: { width: 1280, height: 800 },
};

const shown: readonly (readonly [state: string, look: string])[] = [
  ['card-form', 'desktop'],
  ['card-form-with-mistakes', 'phone'],
  ['card-form', 'phone-dark-ar'],
  ['bank-challenge', 'phone'],
  ['outage', 'phone'],
  ['paid', 'desktop'],
];
const all = checkoutStates.flatMap(({ name }) => Object.keys(looks).map((look) => [name, look] as const));
const pictured = every ? all : folder === undefined ? shown.slice(0, 1) : shown;

let browser: TestBrowser;
let shops: Shops;

beforeAll(async () => {
  [browser, shops] = await Promise.all([startBrowser(), openShops()]);
});
afterAll(() => browser.close());

it.each(pictured)('%s can be pictured (%s) in at most 150 kB', async (name, look) => {
  const state = checkoutStates.find((one) => one.name === name);
  if (state === undefined) throw new Error(`there is no state ${name}`);
  const picture = await pictureOf(browser, state, looks[look] ?? {}, shops);
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect(picture.length).toBeLessThanOrEqual(150_000);
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `checkout-${name}-${look}.png`), picture);
});
