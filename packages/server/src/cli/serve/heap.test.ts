import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const heap = new URL('heap.ts', import.meta.url).href;

/** Keeps 30 MB alive, and lets much more garbage grow old. Prints the maximum size of the heap in bytes. */
const churn = `
  const kept = Array.from({ length: 20_000 }, (_, n) => Array.from({ length: 100 }, (_, k) => n + k + 0.5));
  const ring = [];
  let greatest = 0;
  for (let round = 0; round < 60_000; round += 1) {
    ring[round % 4_000] = Array.from({ length: 100 }, (_, n) => ({ n, round }));
    if (round % 1_000 === 0) greatest = Math.max(greatest, process.memoryUsage().heapTotal);
  }
  process.stdout.write(String(greatest), () => kept.length);`;

async function greatestHeap(before: string): Promise<number> {
  const options = ['--import', 'tsx', '--input-type=module', '--eval', `${before}\n${churn}`];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root });
  return Number(stdout);
}

// By default the heap's growth depends on the speed of the garbage collector, so that a single run may stay small.
const maxRuns = 3;

it('the heap of a server grows less than it does by default', async () => {
  let byDefault = 0;
  let small = Number.POSITIVE_INFINITY;
  for (let run = 0; run < maxRuns && small >= 0.8 * byDefault; run += 1) {
    byDefault = Math.max(byDefault, await greatestHeap(''));
    const ours = await greatestHeap(`(await import(${JSON.stringify(heap)})).configureHeap();`);
    small = Math.min(small, ours);
  }
  expect(small).toBeLessThan(0.8 * byDefault);
}, 180_000);
