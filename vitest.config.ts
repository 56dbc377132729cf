import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    setupFiles: ['tests/support/documented/watch.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Files of one worker share a process: to load every module again for each of 300 files took longer than most tests.
    isolate: false,
    // Two more than cores, since many tests wait for a server or a browser: four leave 6 % of two cores idle.
    maxWorkers: 4,
    testTimeout: 60_000,
    // The first hooks of a run wait until the browser is unpacked.
    hookTimeout: 120_000,
    // A poll ends as soon as it is true; a machine that runs three files at once may take seconds to get there.
    expect: { poll: { timeout: 15_000 } },
  },
});
