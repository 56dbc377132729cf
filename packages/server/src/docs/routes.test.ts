import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import { docsRoutes } from './routes.ts';
import { type DocsSite, loadDocsSite } from './site.ts';

const page = '<!doctype html><title>Refunds</title>';
const listed = [
  { path: '/docs/refunds', file: '0', kind: 'page', contentType: 'text/html; charset=utf-8', etag: '"p"' },
  { path: '/docs/404', file: '0', kind: 'page', contentType: 'text/html; charset=utf-8', etag: '"n"' },
  { path: '/docs/reference', file: '0', kind: 'reference', contentType: 'text/html', etag: '"r"' },
  { path: '/docs/assets/a-1.js', file: '1', kind: 'asset', contentType: 'text/javascript', etag: '"a"' },
  { path: '/llms.txt', file: '2', kind: 'text', contentType: 'text/plain; charset=utf-8', etag: '"l"' },
].map((file) => ({ ...file, isCompressed: file.kind === 'asset' }));

let folder: string;
let built: DocsSite | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'till-test-'));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write('files.json', JSON.stringify(listed));
  await write('0', page);
  await write('1', 'plain');
  await write('1.br', 'brotli');
  await write('1.gz', 'gzip');
  await write('2', 'read {base_url}/docs/refunds.md');
  built = await loadDocsSite(pathToFileURL(`${folder}/`));
});
afterAll(() => rm(folder, { recursive: true }));

function appWith(site: DocsSite | undefined) {
  const app = createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'https://pay.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: (error) => {
      throw error;
    },
  });
  docsRoutes(app, {
    site,
    triggers: [{ trigger: { field: 'note', value: 'X' }, processor: 'processor_a', outcome: 'Y' }],
    publicAddress: () => 'https://pay.example',
  });
  return app;
}

const get = (url: string, headers: Record<string, string> = {}, site = built) =>
  appWith(site).inject({ method: 'GET', url, headers });

describe('the documentation', () => {
  it('200 for a page, with or without a trailing slash, under a content security policy without exceptions', async () => {
    for (const url of ['/docs/refunds', '/docs/refunds/', '/docs/refunds?find=x']) {
      const reply = await get(url);
      expect([reply.statusCode, reply.body]).toEqual([200, page]);
      expect(reply.headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'cache-control': 'no-cache',
        'x-frame-options': 'DENY',
        etag: '"p"',
      });
    }
    expect((await get('/docs/refunds', { 'if-none-match': '"p"' })).statusCode).toBe(304);
  });

  it('allows inline styles and their pictures on the reference only', async () => {
    const { headers } = await get('/docs/reference');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('serves the build’s compressed files as immutable', async () => {
    const reply = await get('/docs/assets/a-1.js', { 'accept-encoding': 'gzip, br' });
    expect([reply.body, reply.headers['content-encoding']]).toEqual(['brotli', 'br']);
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/docs/assets/a-1.js')).body).toBe('plain');
  });

  it('404 with a page for people and the error envelope for programs', async () => {
    const forPeople = await get('/docs/nothing', { accept: 'text/html,*/*' });
    expect([forPeople.statusCode, forPeople.body]).toEqual([404, page]);
    const forPrograms = await get('/docs/nothing');
    expect([forPrograms.statusCode, forPrograms.json().error.code]).toEqual([404, 'not_found']);
    expect((await get('/docs/404')).statusCode).toBe(404);
    expect((await get('/docs/..%2f..%2fpackage.json')).statusCode).toBe(404);
  });

  it('/llms.txt has the public address in its links', async () => {
    const reply = await get('/llms.txt');
    expect(reply.body).toBe('read https://pay.example/docs/refunds.md');
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});

describe('without a build', () => {
  it('503 with the command to run; what needs no build is served', async () => {
    expect(await loadDocsSite(pathToFileURL(`${folder}/nothing/`))).toBeUndefined();
    const app = appWith(undefined);
    for (const url of ['/docs', '/docs/refunds', '/llms.txt']) {
      const reply = await app.inject({ method: 'GET', url });
      expect(reply.statusCode).toBe(503);
      expect(reply.body).toContain('npm run build');
    }
    const triggers = await app.inject({ method: 'GET', url: '/docs/testing.json' });
    expect(triggers.json()).toEqual([
      { trigger: { field: 'note', value: 'X' }, processor: 'processor_a', outcome: 'Y' },
    ]);
  });
});
