import { expect, it } from 'vitest';
import { serverCode, sqlLiterals } from './support/statements.ts';

/** A connection keeps a statement under its name and refuses another text under the same one, only once it meets both. */
it('every prepared statement has a name of its own', () => {
  const withSql = new Set(sqlLiterals.map(({ path }) => path));
  const names = [...serverCode].flatMap(([path, text]) => {
    // Where SQL stands every name counts, wherever it stands in its object; elsewhere one before a text or a table.
    const named = withSql.has(path)
      ? /\bname: (?:'([a-z0-9_]+)'|`([a-z0-9_.${}]+)`)/g
      : /\bname: (?:'([a-z0-9_]+)'|`([a-z0-9_.${}]+)`),\s+(?:scope: .+,\s+)?(?:text|sql|table)\b/g;
    return [...text.matchAll(named)].map(([, plain, pattern]) => plain ?? pattern);
  });
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});
