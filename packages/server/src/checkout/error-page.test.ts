import type { RouteOptions } from 'fastify';
import { expect, it } from 'vitest';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import { systemClock } from '../lib/clock.ts';
import type { CheckoutPageDependencies } from './dependencies.ts';
import { linkPageRoutes } from './link/routes.ts';
import { CheckoutAssets } from './pages/assets.ts';
import { sendErrorPage } from './reply.ts';
import { checkoutRoutes } from './routes.ts';

const deps = {
  assets: new CheckoutAssets(),
  payments: { clock: systemClock, links: { checkoutUrl: () => 'https://till.example/' } },
  onReport: () => {},
} as unknown as CheckoutPageDependencies;

const createTestApp = () =>
  createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'https://till.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: (error) => error instanceof Error && error.message === 'away',
    onRequestDone: () => {},
    onUnexpected: () => {},
  });

it.each([
  ['defect', 500],
  ['away', 503],
])('a buyer whose page cannot be made (%s) sees that they are not to pay again', async (message, status) => {
  const app = createTestApp();
  const errorPage = sendErrorPage(deps, (token) => `/checkout/pay/${token}`);
  app.post('/checkout/pay/:token', { config: { errorPage } }, async () => {
    throw new Error(message);
  });
  const ask = (accept: string) =>
    app.inject({ method: 'POST', url: '/checkout/pay/t_1', headers: { accept } });
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
  expect(page.statusCode).toBe(status);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.body).toContain('do not pay again');
  expect(page.body).toContain('href="/checkout/pay/t_1/wait"');
  expect(page.body).toContain('req_1');
  expect((await ask('application/json')).json()).toMatchObject({ error: { request_id: 'req_1' } });
});

it('such a page keeps the language that the buyer has chosen', async () => {
  const app = createTestApp();
  app.get('/pay/:token', { config: { errorPage: sendErrorPage(deps, (token) => `/pay/${token}`) } }, () => {
    throw new Error('defect');
  });
  const headers = { accept: 'text/html', 'accept-language': 'fr' };
  const page = await app.inject({ url: '/pay/t_1?lang=de', headers });
  expect(page.body).toContain('href="/pay/t_1/wait?lang=de"');
  expect((await app.inject({ url: '/pay/t_1', headers })).body).toContain('href="/pay/t_1/wait"');
});

it('every page of a checkout or payment link has such a page', () => {
  const app = createTestApp();
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  checkoutRoutes(app, deps);
  linkPageRoutes(app, deps);
  const pages = routes.filter(({ url }) => /:token/.test(url) && !url.endsWith('/state'));
  expect(pages.length).toBeGreaterThan(12);
  expect(pages.filter(({ config }) => config?.errorPage === undefined).map(({ url }) => url)).toEqual([]);
});
