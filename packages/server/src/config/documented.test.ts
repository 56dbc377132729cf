import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const manual = readFileSync(new URL('../../../../docs/operating/configure.md', import.meta.url), 'utf8');

/** Every variable that the configuration reads from the environment. */
function namesAsked(): string[] {
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_target, name) => {
        asked.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(environment, '/');
  return [...asked].toSorted();
}

/** The variables in the manual's table of settings. */
function namesDocumented(): string[] {
  const [, table = ''] = /## Settings\n([\s\S]*?)\n## /.exec(manual) ?? [];
  const cells = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name)).toSorted();
}

describe('docs/operating/configure.md', () => {
  it('has a line for every setting, and none for what is no setting', () => {
    expect(namesAsked().length).toBeGreaterThan(20);
    expect(namesDocumented()).toEqual(namesAsked());
  });
});
