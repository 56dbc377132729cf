import { afterAll, afterEach } from 'vitest';
import { comparedFetch, compareIn, takeFaults } from './compare.ts';

const { __vitest_worker__: worker } = globalThis as unknown as { __vitest_worker__: { filepath: string } };

globalThis.fetch = comparedFetch;
compareIn(worker.filepath);

function requireDocumented(): void {
  const faults = takeFaults();
  if (faults.length > 0) throw new Error(`not as /openapi.json says:\n${faults.join('\n')}`);
}

afterEach(requireDocumented);
// Covers requests that the file's hooks sent.
afterAll(requireDocumented);
