import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const dist = new URL('../dist/app/', import.meta.url);
const contentOf = (file: string) => readFileSync(new URL(file, dist));
const manifest = (): Readonly<Record<string, Chunk>> =>
  JSON.parse(contentOf('.vite/manifest.json').toString());

/** All files that the browser loads for these entries, including their imports. */
function filesOf(entries: readonly string[]): string[] {
  const chunks = manifest();
  const names = new Set(entries);
  for (const name of names) for (const imported of chunks[name]?.imports ?? []) names.add(imported);
  const files = [...names].flatMap((name) => [chunks[name]?.file ?? '', ...(chunks[name]?.css ?? [])]);
  return [...new Set(files)];
}

/** The size as the server sends it: compressed, if the build wrote a compressed variant beside the file. */
const sentBytes = (file: string) =>
  contentOf(existsSync(new URL(`${file}.br`, dist)) ? `${file}.br` : file).length;

const kilobytes = 1000;

describe('the built dashboard', () => {
  it('is there: the build ran before the tests', () => {
    expect(existsSync(new URL('index.html', dist))).toBe(true);
  });

  it.each(['src/pages/session/login.tsx', 'src/pages/home/home.tsx', 'src/pages/payments/payments.tsx'])(
    'loads %s first with at most 150 kB of page, scripts and styles in few files, compressed',
    (page) => {
      const files = filesOf(['index.html', page]);
      expect(files.some((file) => file.endsWith('.js'))).toBe(true);
      expect(files.some((file) => file.endsWith('.css'))).toBe(true);
      const bytes = ['index.html', ...files].reduce((sum, file) => sum + sentBytes(file), 0);
      expect(bytes).toBeLessThanOrEqual(150 * kilobytes);
      // A browser requests six files at a time from a server, and each further batch takes a round trip.
      expect(files.length).toBeLessThanOrEqual(8);
    },
  );

  it('has no script and no style inside its page, and nothing of another origin', () => {
    const page = contentOf('index.html').toString();
    expect(page).not.toMatch(/<style|style="|<script(?![^>]* src=)|\son[a-z]+=/);
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => !address.startsWith('/dashboard/assets/'))).toEqual([]);
  });
});
