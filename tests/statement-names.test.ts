import { expect, it } from 'vitest';
import { placeOf, productionSources, read } from './support/sources.ts';

/** A connection keeps a statement under its name and refuses another text under the same one, only once it meets both. */
it('every prepared statement has a name of its own', () => {
  const names = productionSources
    .filter((path) => placeOf(path).package === 'server')
    .flatMap((path) =>
      [...read(path).matchAll(/\bname: '([a-z0-9_]+)',\s+(?:scope: .+,\s+)?text:/g)].map(([, name]) => name),
    );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});
