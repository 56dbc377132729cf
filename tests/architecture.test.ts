import { expect, it } from 'vitest';
import { isThere, read } from './support/sources.ts';

const text = read('docs/architecture.md');
const named = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.(?:ts|md|sql)|[\w-]+(?:\/[\w-]+)+\/)`/g)].map(
  ([, path = '']) => path,
);
const bases = ['packages/server/src/', 'packages/', ''];

it('docs/architecture.md names files and folders that exist', () => {
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !bases.some((base) => isThere(base + path)))).toEqual([]);
});
