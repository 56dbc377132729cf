import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { version } from './http/version.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const manifest = JSON.parse(read('../package.json'));

describe('the package', () => {
  it('exports its version', () => {
    expect(version).toBe(manifest.version);
  });

  it('needs no other package', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
  });

  it('has the licence of the repository', () => {
    expect(read('../LICENSE')).toBe(read('../../../LICENSE'));
  });
});
