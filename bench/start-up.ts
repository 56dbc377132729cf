/**
 * Measures the start of the server with an empty and with an existing data folder, and its memory before the first request. Run
 * after `npm run build`: `node --import tsx --conditions=source bench/start-up.ts [--rounds N]`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endDatabase } from '../tests/support/end-database.ts';
import { type RunningServer, startServer } from '../tests/support/server.ts';
import type { Cleanup } from './support/cleanup.ts';
import { runBench } from './support/run.ts';
import { median } from './support/statistics.ts';
import { removeFolder } from './support/till.ts';
import { residentBytes } from './webhooks/webhooks-world.ts';

const settleMs = 10_000;

async function timed(dataDir: string): Promise<{ ms: number; server: RunningServer }> {
  const began = performance.now();
  const server = await startServer({ TILL_DATA_DIR: dataDir });
  return { ms: performance.now() - began, server };
}

async function bench(rounds: number, cleanup: Cleanup): Promise<void> {
  const cold: number[] = [];
  const warm: number[] = [];
  let idleMb = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
    cleanup.add(() => removeFolder(folder));
    const dataDir = join(folder, 'data');
    cleanup.add(() => endDatabase(dataDir));
    const first = await timed(dataDir);
    cold.push(first.ms);
    await first.server.stop();
    const second = await timed(dataDir);
    warm.push(second.ms);
    if (round === rounds) {
      await pause(settleMs);
      idleMb = Math.round(residentBytes(second.server.process.pid ?? 0) / 2 ** 20);
    }
    await second.server.stop();
  }
  const seconds = (all: readonly number[]) => (median(all) / 1000).toFixed(2);
  console.log(
    [
      `start-up, medians of ${rounds}`,
      `from an empty data folder  ${seconds(cold)} s (first: 6, goal: 3)`,
      `from one that is there     ${seconds(warm)} s (first: 2, goal: 1)`,
      `memory of the idle server  ${idleMb} MB (first: 150, goal: 120)`,
      '',
    ].join('\n'),
  );
}

await runBench(({ rounds }, cleanup) => bench(rounds, cleanup));
