import { describe, expect, it } from 'vitest';
import { hashSources } from '../../packages/server/source-hash.mjs';
import { requireFreshBuild } from './fresh-build.ts';

const stale = /older than its source.*npm run build/;

describe('a built server', () => {
  it('is refused where its sources changed since, or where no build was recorded', async () => {
    await expect(requireFreshBuild(async () => 'another hash')).rejects.toThrow(stale);
    await expect(requireFreshBuild(async () => undefined)).rejects.toThrow(stale);
  });

  it('is accepted where it was made from the present sources', async () => {
    const hash = await hashSources();
    await expect(requireFreshBuild(async () => hash)).resolves.toBeUndefined();
  });
});
