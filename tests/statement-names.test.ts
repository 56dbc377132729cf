import { expect, it } from 'vitest';
import { serverCode, sqlLiterals } from './support/statements.ts';

/**
 * A connection caches a prepared statement by its name. It rejects the same name with another text, but only
 * once it receives both.
 */
it('every prepared statement has a name of its own', () => {
  const withSql = new Set(sqlLiterals.map(({ path }) => path));
  const names = [...serverCode].flatMap(([path, text]) => {
    // In files with SQL every name counts, wherever it is in its object. In other files only a name before a
    // text or a table does.
    const named = withSql.has(path)
      ? /\bname: (?:'([a-z0-9_]+)'|`([a-z0-9_.${}]+)`)/g
      : /\bname: (?:'([a-z0-9_]+)'|`([a-z0-9_.${}]+)`),\s+(?:scope: .+,\s+)?(?:text|sql|table)\b/g;
    return [...text.matchAll(named)].map(([, plain, pattern]) => plain ?? pattern);
  });
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});
