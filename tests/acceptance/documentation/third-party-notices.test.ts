import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { thirdPartyNotices } from '../../../tools/third-party-notices.mjs';
import { target } from '../../support/merchant.ts';
import { manifestOf } from '../../support/sources.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const notices = 'third-party-notices.txt';
const built = (folder: string) => realpathSync(join(root, folder));
const read = (folder: string) => readFileSync(join(built(folder), notices), 'utf8');

/** The packages that a notices file names. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/^-{80}\n(\S+) \S+ \(.+\)\n-{80}$/gm)].map(([, name = '']) => name);

/** The packages in the server's bundle. The bundler names the source of each part above it. */
function packagesInBundle(): Set<string> {
  const folder = built('packages/server/dist/bundle');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const source = /^\s*\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/\s]+)\//gm;
  return new Set(
    scripts.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(source)].map(([, found = '']) => found),
    ),
  );
}

describe('the licences of third parties', () => {
  it('go with the server: every package of its bundle is listed', () => {
    const named = namedIn(read('packages/server/dist/bundle'));
    const bundled = [...packagesInBundle()];
    expect(bundled.length).toBeGreaterThan(30);
    expect(bundled).toEqual(expect.arrayContaining(['fastify', 'pg', 'undici', '@fastify/multipart']));
    expect(bundled.filter((name) => !named.includes(name))).toEqual([]);
  });

  it('go with the dashboard, its typeface included', async () => {
    const answer = await fetch(`${target().baseUrl}/dashboard/${notices}`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await answer.text();
    const { devDependencies = {} } = manifestOf('packages/dashboard');
    // Of typebox only types are used, and radix-ui only re-exports other packages.
    const external = Object.keys(devDependencies).filter(
      (name) => !/^(@till\/.*|typebox|radix-ui)$/.test(name),
    );
    expect(external.length).toBeGreaterThan(5);
    expect(namedIn(text)).toEqual(
      expect.arrayContaining([...external, '@radix-ui/react-dialog', 'tailwindcss', 'scheduler']),
    );
    expect(text).toContain('SIL OPEN FONT LICENSE');
  });

  it('go with the documentation, with what Redoc is made of', async () => {
    const answer = await fetch(`${target().baseUrl}/docs/${notices}`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await answer.text();
    expect(namedIn(text)).toContain('redoc');
    expect(text).toContain('perfect-scrollbar');
  });

  it('are none on the checkout page', () => {
    expect(namedIn(read('packages/checkout/dist/page'))).toEqual([]);
  });
});

describe('a text of notices', () => {
  const module = (path: string) => join(root, 'node_modules', path);

  it('has each package once, with version and licence, and nothing for our own files', () => {
    const text = thirdPartyNotices(
      [module('pg/lib/index.js'), module('pg/lib/client.js'), 'packages/server/src/main.ts'],
      root,
    );
    expect(namedIn(text)).toEqual(['pg']);
    expect(text).toContain('Copyright (c) 2010');
  });

  it('takes scoped, relative and virtual names', () => {
    const paths = ['node_modules/@fastify/cookie/plugin.js', `\0${module('react/index.js')}?commonjs-module`];
    expect(namedIn(thirdPartyNotices(paths, root))).toEqual(['@fastify/cookie', 'react']);
  });

  it('says so where there is nothing', () => {
    expect(thirdPartyNotices([])).toBe('Nothing of third parties is in these files.\n');
  });
});
