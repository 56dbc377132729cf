import { readdirSync, readFileSync } from 'node:fs';
import { merchantApi } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { plainText } from './html.ts';
import { documentedCodes, listedOperations, renderSite, type SiteFile } from './site.ts';

const repository = new URL('../../../', import.meta.url);
const assets = {
  style: '/docs/assets/docs.css',
  referenceStyle: '/docs/assets/reference.css',
  script: '/docs/assets/docs.js',
  theme: '/docs/assets/theme.js',
  reference: '/docs/assets/reference.js',
  redoc: '/docs/assets/redoc.js',
  icon: '/docs/assets/icon.svg',
};
let index: [address: string, page: string, part: string, text: string][] = [];

const files = renderSite({
  read: (path) => readFileSync(new URL(path, repository), 'utf8'),
  list: (folder) =>
    readdirSync(new URL(`${folder}/`, repository))
      .filter((name) => name.endsWith('.md'))
      .sort(),
  assets,
  addIndex: (text) => {
    index = JSON.parse(text);
    return '/docs/assets/search.json';
  },
  version: '0.0.0',
});
const pages = files.filter(({ kind }) => kind === 'page' || kind === 'reference');
const byPath = new Map(files.map((file) => [file.path, file]));
const idsOf = ({ text }: SiteFile) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);

/** Paths that the server answers in addition to the built files. */
const served = new Set([
  '/dashboard',
  '/openapi.json',
  '/docs/testing.json',
  '/docs/assets/search.json',
  ...Object.values(assets),
]);

/** Why a link is broken; undefined if it is not. Fragments of the reference are Redoc's own. */
function faultOf(address: string, from: SiteFile): string | undefined {
  const [path = '', fragment] = address.split('#', 2);
  const bare = path.split('?', 1)[0] ?? '';
  const target = bare === '' ? from : byPath.get(bare);
  if (target === undefined) return served.has(bare) ? undefined : `${from.path}: ${address} is no page`;
  if (fragment === undefined || target.kind === 'reference') return undefined;
  return idsOf(target).includes(fragment) ? undefined : `${from.path}: ${address} has no such part`;
}

describe('every page', () => {
  it('links to pages and sections that exist, and loads nothing from other origins', () => {
    const faults = pages.flatMap((page) => {
      const links = [...page.text.matchAll(/\s(href|src)="([^"]+)"/g)];
      return links.flatMap(([, name, address = '']) => {
        if (!/^https?:/.test(address)) return faultOf(address, page) ?? [];
        return name === 'src' ? [`${page.path} loads ${address}`] : [];
      });
    });
    expect(faults).toEqual([]);
  });

  it('has no inline script or style, and no image of another origin', () => {
    const inline = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|<img|<iframe/i;
    expect(pages.filter(({ text }) => inline.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('has a title, one heading of the first level, and no id twice', () => {
    for (const page of pages) {
      expect(page.text, page.path).toMatch(/<title>[^<]+<\/title>/);
      expect(page.text.match(/<h1>/g), page.path).toHaveLength(1);
      const ids = idsOf(page);
      expect(
        ids.filter((id, at) => ids.indexOf(id) !== at),
        page.path,
      ).toEqual([]);
    }
  });

  it('is of at most 60 kB', () => {
    const large = pages.map(({ path, text }) => ({ path, bytes: Buffer.byteLength(text) }));
    expect(large.filter(({ bytes }) => bytes > 60_000)).toEqual([]);
  });

  it('leaves no placeholder in the text', () => {
    const left = /&lt;!--|<!--|undefined|\[object|\{base_url\}/;
    expect(pages.filter(({ text }) => left.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the guides', () => {
  const guides = files.filter(({ path, kind }) => kind === 'page' && /^\/docs\/[a-z-]+$/.test(path));

  it('cover what an integration needs', () => {
    expect(guides.map(({ path }) => path)).toEqual(
      expect.arrayContaining(
        [
          'quickstart',
          'cards',
          'wallet-and-card-fields',
          'checkout',
          'hold-and-capture',
          'saving-and-subscriptions',
          'retries',
          'refunds',
          'webhooks',
          'disputes',
          'testing',
          'errors',
          'going-live',
          'node',
          'changelog',
        ].map((name) => `/docs/${name}`),
      ),
    );
  });

  it('are all on the site: no file is forgotten', () => {
    const sources = readdirSync(new URL('docs/guides/', repository)).map((name) => name.replace(/\.md$/, ''));
    expect(sources.filter((name) => !byPath.has(`/docs/${name}`))).toEqual([]);
  });

  it('are there as Markdown too, with links that work there', () => {
    for (const { path } of guides.filter((guide) => guide.path !== '/docs/404')) {
      const markdown = byPath.get(`${path}.md`);
      expect(markdown?.contentType, path).toBe('text/markdown; charset=utf-8');
      const links = [...(markdown?.text ?? '').matchAll(/\]\((\/[^)\s]+)\)/g)].map(([, to = '']) => to);
      const paths = links.map((to) => to.split(/[?#]/, 1)[0] ?? '');
      expect(
        paths.filter((to) => !byPath.has(to) && !served.has(to)),
        path,
      ).toEqual([]);
    }
  });
});

describe('errors and declines', () => {
  const page = byPath.get('/docs/errors');

  it('have a section for every code, with status and type, and text that says what to do', () => {
    const text = page?.text ?? '';
    for (const code of documentedCodes) {
      const [, part = ''] = new RegExp(`<h3 id="${code}">(.*?)(?=<h[23] |<nav )`, 's').exec(text) ?? [];
      expect(part, code).toMatch(/<p class="facts"><span>HTTP \d{3}<\/span>/);
      expect(plainText(part.replace(/<p class="facts">.*?<\/p>/s, '')).length, code).toBeGreaterThan(30);
    }
  });

  it('explain no unknown code', () => {
    const sections = [...(page?.text ?? '').matchAll(/<h3 id="([^"]+)"><code>/g)].map(([, id]) => id);
    expect(sections.sort()).toEqual([...documentedCodes].sort());
  });
});

describe('the search index', () => {
  it('links to sections that exist', () => {
    expect(index.length).toBeGreaterThan(300);
    const home = byPath.get('/docs');
    if (home === undefined) throw new Error('there is no first page');
    expect(index.flatMap(([address]) => faultOf(address, home) ?? [])).toEqual([]);
  });

  it('has every operation, code and trigger', () => {
    const sections = new Set(index.map(([, , part]) => part));
    const operations = Object.values(merchantApi).map(({ summary }) => summary);
    expect([...operations, ...documentedCodes].filter((name) => !sections.has(name))).toEqual([]);
    expect(sections.has('CCREJECT-REFUSED')).toBe(true);
    expect(sections.has('4111111111111111')).toBe(true);
  });
});

describe('the reference', () => {
  it('lists every operation without script', () => {
    const text = byPath.get('/docs/reference')?.text ?? '';
    const listed = listedOperations.flatMap(([, operations]) => operations);
    expect(listed).toHaveLength(Object.keys(merchantApi).length);
    for (const { method, path } of listed) expect(text).toContain(`<code>${method} ${path}</code>`);
  });
});
