import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../http/rate-limit/rate-limit.ts';
import { createApp } from '../../http/server/app.ts';
import { staticAppRoutes } from './routes.ts';
import { loadStaticApp } from './static-app.ts';

const page =
  '<!doctype html><title>Dashboard</title><script type="module" src="/dashboard/assets/main-abc.js"></script>';
const script = `export const words = ${JSON.stringify(Array.from({ length: 500 }, (_none, n) => `word ${n}`))};`;

let folder: string;
let app: ReturnType<typeof bareApp>;

function bareApp() {
  return createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: (error) => {
      throw error;
    },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'till-test-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'assets/main-abc.js'), script);
  await writeFile(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets/main-abc.js.gz'), gzipSync(script));
  await writeFile(join(folder, 'assets/main-abc.js.map'), '{}');
  await writeFile(join(folder, 'assets/inter.woff2'), Buffer.alloc(4000, 1));
  app = bareApp();
  staticAppRoutes(app, await loadStaticApp(pathToFileURL(`${folder}/`)));
});
afterAll(() => rm(folder, { recursive: true }));

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers });

describe('the page', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/login',
    '/dashboard/acct_x/payments/pay_y?status=failed',
    '/dashboard/index.html',
  ])('answers %s', async (url) => {
    const reply = await get(url);
    expect([reply.statusCode, reply.body]).toEqual([200, page]);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('is not sent again to a browser that has it', async () => {
    const { etag = '' } = (await get('/dashboard')).headers;
    const again = await get('/dashboard/login', { 'if-none-match': `"other", W/${etag}` });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await get('/dashboard', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('does not answer what is no page', async () => {
    for (const url of [
      '/dashboard/api/nothing',
      '/dashboard/api',
      '/dashboard/assets/missing.js',
      '/dashboardx',
    ]) {
      const reply = await get(url);
      expect([url, reply.statusCode, reply.json().error.code]).toEqual([url, 404, 'not_found']);
    }
    expect((await app.inject({ method: 'POST', url: '/dashboard/login' })).statusCode).toBe(404);
    for (const url of [
      '/dashboard/assets/..%2f..%2fpackage.json',
      '/dashboard/..%2fsecret',
      '/dashboard/assets/main-abc.js.map',
      '/dashboard/assets/main-abc.js.br',
    ]) {
      const reply = await get(url);
      expect(reply.statusCode === 404 || reply.body === page, url).toBe(true);
    }
  });
});

describe('a file', () => {
  const url = '/dashboard/assets/main-abc.js';

  it('with a hash in its name is kept for ever', async () => {
    const reply = await get(url);
    expect(reply.body).toBe(script);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    expect((await get('/dashboard/icon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=3600',
    });
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['', undefined],
  ])('comes as small as the browser takes it: %s', async (accepted, encoding) => {
    const reply = await get(url, { 'accept-encoding': accepted });
    expect(reply.headers['content-encoding']).toBe(encoding);
    const raw = reply.rawPayload;
    const plain = encoding === 'br' ? brotliDecompressSync(raw) : encoding === 'gzip' ? gunzipSync(raw) : raw;
    expect(plain.toString()).toBe(script);
    if (encoding !== undefined) expect(raw.length).toBeLessThan(script.length / 2);
  });

  it('that is dense or small comes as it is', async () => {
    const headers = { 'accept-encoding': 'br, gzip' };
    for (const path of ['/dashboard/assets/inter.woff2', '/dashboard/icon.svg', '/dashboard']) {
      expect((await get(path, headers)).headers['content-encoding']).toBeUndefined();
    }
  });

  it('is known again in each encoding, which have names of their own', async () => {
    const [plain, small] = [await get(url), await get(url, { 'accept-encoding': 'br' })];
    expect(small.headers.etag).not.toBe(plain.headers.etag);
    const again = await get(url, { 'accept-encoding': 'br', 'if-none-match': small.headers.etag ?? '' });
    expect([again.statusCode, again.headers.etag]).toEqual([304, small.headers.etag]);
  });
});

describe('without a build', () => {
  it('says what to run', async () => {
    expect(await loadStaticApp(pathToFileURL(`${folder}/nothing/`))).toBeUndefined();
    const bare = bareApp();
    staticAppRoutes(bare, undefined);
    const reply = await bare.inject({ method: 'GET', url: '/dashboard/login' });
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(reply.body).toContain('npm run build');
  });
});
