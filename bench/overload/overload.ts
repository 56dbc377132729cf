/**
 * Measures the latency of admitted payments under ten times the server's capacity, the time until it recovers, and the effect on
 * a second merchant while the first one overloads or stalls the server. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/overload/overload.ts [--seconds 60] [--times 10] [--connections 640]
 * [--scenario 'half-sent']`. `--scenario` runs only the second merchant's scenarios with these words in their name.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cleanup } from '../support/cleanup.ts';
import { countWritten, removeFolder, startTill, type Till } from '../support/till.ts';
import type { OverloadResult } from './overload-load.ts';
import { measureSecondTenant } from './second-tenant.ts';
import { paidIn, type SteadyLoad, steadyLoad } from './steady-load.ts';

/** The share of the capacity that counts as light load. */
const lightShare = 0.25;
const maxRecoveryMs = 10_000;
const windowMs = 500;
const burstMs = 2000;

const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Measures light load in windows of half a second, until one is as fast as before the overload and has no refused requests. */
async function recovery(load: SteadyLoad, light: Parameters<SteadyLoad>[0], p99: number) {
  const began = performance.now();
  const done: OverloadResult[] = [];
  for (;;) {
    const passed = performance.now() - began;
    const result = await load(light);
    done.push(result);
    const isNormal = Object.keys(result.statuses).join() === '201' && result.admitted.p99 <= 2 * p99;
    if (isNormal) return { seconds: passed / 1000, done };
    if (passed > maxRecoveryMs) return { seconds: Number.POSITIVE_INFINITY, done };
  }
}

interface Measured {
  readonly light: OverloadResult;
  readonly burst: OverloadResult;
  readonly crowd: OverloadResult;
  /** Payments per second. */
  readonly capacity: number;
}

function report(till: Till, { light, burst, crowd, capacity }: Measured): void {
  const share = (count: number) => `${((count / crowd.sent) * 100).toFixed(2)} %`;
  const { admitted } = crowd;
  const lines = [
    `PostgreSQL ${till.postgresVersion}; capacity ${Math.round(capacity)} payments/s`,
    `light load: p50 ${ms(light.admitted.p50)}, p99 ${ms(light.admitted.p99)}`,
    `the first ${burst.seconds.toFixed(1)} s of overload: admitted p50 ${ms(burst.admitted.p50)}, p99 ${ms(burst.admitted.p99)}`,
    `overload: ${crowd.sent} sent in ${crowd.seconds.toFixed(1)} s (${Math.round(crowd.sent / crowd.seconds)}/s), ${crowd.heldBack} held back by the client`,
    `  answers: ${JSON.stringify(crowd.statuses)}; answered ${share(crowd.sent - crowd.unanswered)}; broken connections ${crowd.broken}`,
    `  without Retry-After: ${crowd.withoutRetryAfter}`,
    `  admitted: ${Math.round(paidIn(crowd) / crowd.seconds)}/s, p50 ${ms(admitted.p50)}, p99 ${ms(admitted.p99)}, ${(admitted.p99 / light.admitted.p99).toFixed(2)} x light`,
    `  refused: p50 ${ms(crowd.refused.p50)}, p99 ${ms(crowd.refused.p99)}`,
  ];
  console.log(lines.join('\n'));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      times: { type: 'string', default: '10' },
      connections: { type: 'string', default: '640' },
      scenario: { type: 'string', default: '' },
    },
  });
  const cleanup = new Cleanup();
  cleanup.onAbruptEnd();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'till-overload-'));
    cleanup.add(() => removeFolder(folder));
    const till = await startTill(folder, null, cleanup);
    const load = steadyLoad(till, cleanup);
    const done: OverloadResult[] = [];
    const run: SteadyLoad = async (shape) => {
      const result = await load(shape);
      done.push(result);
      return result;
    };
    const atOnce = { connections: 64, perSecond: null };
    await run({ ...atOnce, ms: 4000 });
    await till.db.query('analyze');
    const best = await run({ ...atOnce, ms: 5000 });
    const capacity = paidIn(best) / best.seconds;
    const light = { connections: 64, perSecond: capacity * lightShare, ms: windowMs };
    await run({ ...light, ms: 2000 });
    const unloaded = await run({ ...light, ms: 10_000 });
    const tooMuch = { connections: Number(values.connections), perSecond: capacity * Number(values.times) };
    // A burst is served completely, so that its requests wait longer than requests during lasting overload.
    const burst = await run({ ...tooMuch, ms: burstMs });
    const crowd = await run({ ...tooMuch, ms: Number(values.seconds) * 1000 });
    const back = await recovery(load, light, unloaded.admitted.p99);
    report(till, { light: unloaded, burst, crowd, capacity });
    console.log(`normal again after ${back.seconds.toFixed(1)} s`);
    const around = { till, cleanup, folder, first: run, capacity, seconds: Number(values.seconds) };
    console.log(await measureSecondTenant(around, Number(values.times), values.scenario));
    const paid = [...done, ...back.done].reduce((sum, result) => sum + paidIn(result), 0);
    const { payments, charges } = await countWritten(till);
    console.log(`answered as paid ${paid}, recorded ${payments}, charged ${charges}`);
    if (paid !== payments || paid !== charges) throw new Error('these three must be the same');
  } finally {
    await cleanup.run();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
