import { describe, expect, it } from 'vitest';
import { importsOf, packageNames, placeOf, productionSources } from './support/sources.ts';

/*
 * Imports must not form cycles. Type imports count too, since they also make a reader depend on the other
 * file. boundaries.test.ts defines who may import whom.
 */

/** Maximum number of source files in a folder. */
const maxFiles = 15;

type Graph = Map<string, Set<string>>;

/** Returns the first cycle found, as a path that ends at its own beginning. */
function findCycle(edges: Graph): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): string[] | undefined => {
    const met = way.indexOf(node);
    if (met >= 0) return [...way.slice(met), node];
    if (done.has(node)) return undefined;
    done.add(node);
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...way, node]);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Whether a file belongs to a package, such as `sdk`, or to a folder of one, such as `server/http`. */
const isIn = (name: string, path: string): boolean => {
  const place = placeOf(path);
  return `${place.package}/${place.path}`.startsWith(`${name}/`);
};

const sourcesIn = (name: string) => productionSources.filter((path) => isIn(name, path));

/**
 * The imports between production files of a package or folder, as [importing file, imported file] from its
 * `src`.
 */
const importPairs = (name: string): (readonly [from: string, to: string])[] =>
  sourcesIn(name).flatMap((path) =>
    importsOf(path).flatMap(({ file }) =>
      file === undefined || !isIn(name, file) ? [] : [[placeOf(path).path, placeOf(file).path] as const],
    ),
  );

function graphOf(pairs: readonly (readonly [from: string, to: string])[]): Graph {
  const graph: Graph = new Map();
  for (const [from, to] of pairs) {
    if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

/**
 * Maps an import to the two entries of the folder that contains both files, where a subfolder represents
 * everything below it. To the folder `a`, `a/b/x.ts → a/c/d/y.ts` is `a/b → a/c`.
 */
const siblings = ([from, to]: readonly [string, string]): readonly [string, string] => {
  const [above, below] = [from.split('/'), to.split('/')];
  const apart = above.findIndex((step, depth) => step !== below[depth]);
  return apart < 0 ? [from, to] : [above.slice(0, apart + 1).join('/'), below.slice(0, apart + 1).join('/')];
};

const directory = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

it.each(packageNames)('%s has no cycle between its files', (name) => {
  expect(importPairs(name).length).toBeGreaterThan(5);
  expect(findCycle(graphOf(importPairs(name)))).toBeUndefined();
});

describe.each(packageNames)('%s', (name) => {
  it('has no cycle between the folders and files of any folder', () => {
    expect(findCycle(graphOf(importPairs(name).map(siblings)))).toBeUndefined();
  });

  it('has no cycle between a folder and one inside it', () => {
    const pairs = importPairs(name).map(([from, to]) => [directory(from), directory(to)] as const);
    expect(findCycle(graphOf(pairs))).toBeUndefined();
  });

  it(`has at most ${maxFiles} source files in a folder`, () => {
    const folders = sourcesIn(name).map((path) => directory(placeOf(path).path));
    const isFull = (folder: string) => folders.filter((other) => other === folder).length > maxFiles;
    expect([...new Set(folders.filter(isFull))]).toEqual([]);
  });
});

it('a cycle between folders is found at every depth', () => {
  const pairs = [
    ['pages/a/x.ts', 'pages/b/deep/y.ts'],
    ['pages/b/deep/z.ts', 'pages/a/w.ts'],
  ] as const;
  expect(findCycle(graphOf(pairs))).toBeUndefined();
  expect(findCycle(graphOf(pairs.map(siblings)))).toEqual(['pages/a', 'pages/b', 'pages/a']);
});
