import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { filesBelow, read } from './support/sources.ts';

const rows = read('docs/operating/verified.md')
  .split('\n')
  .filter((line) => /^\| .* \| `/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, , file = '', title = '']) => ({ file, title }));

it('docs/operating/verified.md names tests that exist', () => {
  expect(rows.length).toBeGreaterThan(40);
  const isThere = (file: string) => existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url)));
  const wrong = rows.filter(
    ({ file, title }) => title === '' || !isThere(file) || !read(file).includes(title),
  );
  expect(wrong).toEqual([]);
});

it('docs/operating/verified.md names every file of tests/operations', () => {
  const named = new Set(rows.map(({ file }) => file));
  const files = filesBelow('tests/operations').filter((path) => path.endsWith('.test.ts'));
  expect(files.filter((path) => !named.has(path))).toEqual([]);
});
