import { describe, expect, it } from 'vitest';
import { filesBelow, read } from './support/sources.ts';

/*
 * On the npm registry `till` is another project's package, and nobody owns `@till/…`. A command that fetches
 * one of them would run foreign code, which for agents has an API key in its environment. In the repository
 * the command is `./till`.
 */
const fetched = /\bnpx\s+(-\S+\s+)*till\b|"npx"[^\n]*"till"/;
const installed =
  /\b(npx|npm (i|install|add|exec)|yarn add|pnpm (add|i|install)|bun add)\s+(-\S+\s+)*(@till\/|till\b)/;

/** Everything that people read or copy: documents, hints of the programs, snippets of the pages. */
const shown = filesBelow('').filter(
  (path) =>
    /\.(md|tsx?|mjs|json|ya?ml|html|service|env)$|file$|^till$/.test(path) && !path.startsWith('tests/'),
);

describe('a name that a registry resolves', () => {
  it('stands in no document, hint or snippet', () => {
    expect(shown).toEqual(expect.arrayContaining(['README.md', 'till', 'docs/guides/quickstart.md']));
    const found = shown.filter((path) => path !== 'package-lock.json');
    expect(found.filter((path) => fetched.test(read(path)) || installed.test(read(path)))).toEqual([]);
  });

  it.each([
    'npx till doctor',
    'npx --yes till mcp',
    '{"command": "npx", "args": ["till", "mcp"]}',
    'npm install @till/node',
    'npm i -D @till/node',
    'npm i -g till',
  ])('would be found: %s', (line) => {
    expect(fetched.test(line) || installed.test(line)).toBe(true);
  });

  it.each(['./till doctor', 'npm install /path/to/till/till-node-0.1.0.tgz', 'npm pack -w packages/sdk'])(
    'is not meant by %s',
    (line) => {
      expect(fetched.test(line) || installed.test(line)).toBe(false);
    },
  );
});
