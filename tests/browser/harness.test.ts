import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { startBrowser, type TestBrowser } from './harness.ts';

const cleanUp = new CleanUp();
let browser: TestBrowser;
let origin: string;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; require-trusted-types-for 'script'";
const pages: Readonly<Record<string, string>> = {
  '/good': '<title>Good</title><main><h1>Good</h1><label>Name <input></label></main>',
  '/bad':
    '<title>Bad</title><main><h1>Bad</h1><input>' +
    '<img alt="" src="https://elsewhere.example/x.png"><script src="/fault.js"></script></main>',
  '/pale': '<title>Pale</title><link rel="stylesheet" href="/pale.css"><main><h1>Pale</h1><input></main>',
  '/pale.css': '@media (prefers-color-scheme: dark) { html { background: #111; color: #333 } }',
  '/fault.js': 'setLater = 1; undefinedThing();',
};

beforeAll(async () => {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const kind = /\.(js|css)$/.exec(path)?.[1];
    response.setHeader(
      'content-type',
      kind === undefined ? 'text/html; charset=utf-8' : kind === 'js' ? 'text/javascript' : 'text/css',
    );
    response.setHeader('content-security-policy', policy);
    response.statusCode = pages[path] === undefined ? 404 : 200;
    response.end(kind === undefined ? `<!doctype html><html lang="en">${pages[path] ?? ''}` : pages[path]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => server.close());
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await startBrowser();
  cleanUp.add(browser.close);
});
afterAll(cleanUp.run);

it('finds no fault in a correct page under a strict policy', async () => {
  const { violations, faults, sidewaysScroll, close } = await browser.open(origin, '/good');
  expect(await violations()).toEqual([]);
  expect(await sidewaysScroll()).toBe(0);
  expect(faults()).toEqual({ errors: [], policy: [], foreign: [] });
  await close();
});

it('finds faults: rules, policy, other origins, errors', async () => {
  const opened = await browser.open(origin, '/bad', { width: 320 });
  expect((await opened.violations()).map(({ rule }) => rule)).toContain('label');
  const { errors, policy: refused, foreign } = opened.faults();
  expect(errors.join()).toContain('undefinedThing');
  expect(refused).toContain('img-src https://elsewhere.example/x.png');
  expect(foreign).toEqual(['https://elsewhere.example/x.png']);
  await opened.close();
});

it('finds faults of dark colours only, where only those are checked', async () => {
  const opened = await browser.open(origin, '/pale');
  expect((await opened.violations()).map(({ rule }) => rule)).toEqual(['label']);
  await opened.page.emulateMedia({ colorScheme: 'dark' });
  expect((await opened.violations('colours')).map(({ rule }) => rule)).toEqual(['color-contrast']);
  await expect(opened.expectAccessible()).rejects.toThrow('color-contrast');
  await opened.close();
});

it('applies the given viewport and colours, and opens a second tab of the same profile', async () => {
  const opened = await browser.open(origin, '/good', {
    width: 320,
    height: 640,
    colorScheme: 'dark',
    locale: 'ar',
  });
  await opened.until('innerWidth === 320 && matchMedia("(prefers-color-scheme: dark)").matches');
  expect(await opened.page.evaluate('navigator.language')).toBe('ar');
  await opened.page.evaluate('localStorage.setItem("a", "1")');
  const second = await browser.tab(opened, origin, '/good');
  expect(await second.page.evaluate('localStorage.getItem("a")')).toBe('1');
  await opened.close();
});

it('keeps nothing of what was done in a profile', async () => {
  const first = await browser.open(origin, '/good', { locale: 'sv' });
  await first.context.addCookies([{ name: 'a', value: '1', url: origin }]);
  await first.page.evaluate('localStorage.setItem("a", "1"); sessionStorage.setItem("a", "1")');
  await first.page.route('**/good', (route) => route.abort());
  await first.close();
  const second = await browser.open(origin, '/good', { locale: 'sv' });
  expect(second.page).toBe(first.page);
  expect(await second.page.title()).toBe('Good');
  expect(await second.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  expect(await second.context.cookies()).toEqual([]);
  expect(first.faults()).toEqual(second.faults());
  await second.close();
});

it('uses a profile no more in which the clock was replaced', async () => {
  const first = await browser.open(origin, '/good', { locale: 'nb' });
  await first.close();
  const second = await browser.open(origin, undefined, { locale: 'nb' });
  await second.page.clock.install();
  await second.page.goto(`${origin}/good`);
  await second.page.clock.fastForward(1000);
  await second.close();
  const third = await browser.open(origin, '/good', { locale: 'nb' });
  expect(third.page).not.toBe(first.page);
  await third.close();
});
