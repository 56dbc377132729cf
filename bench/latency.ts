/**
 * Measures the latency that Till adds to a processor which responds after 100 ms, at 500 creates per second in open loop. Run
 * after `npm run build`: `node --import tsx --conditions=source bench/latency.ts [--seconds N] [--rounds N]`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paidIn, steadyLoad } from './overload/steady-load.ts';
import type { Cleanup } from './support/cleanup.ts';
import { untilQuiet } from './support/cpu.ts';
import type { Options } from './support/options.ts';
import { openOutsideAccount } from './support/outside-processor.ts';
import { runBench } from './support/run.ts';
import { median } from './support/statistics.ts';
import { countSettled, removeFolder, startTill } from './support/till.ts';

const processorMs = 100;
const perSecond = 500;
const connections = 256;
const warmupMs = 3000;

async function bench({ seconds, rounds }: Options, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const till = await startTill(folder, null, cleanup);
  const shop = await openOutsideAccount(till, cleanup, processorMs);
  const load = steadyLoad(shop, cleanup);
  const before = await countSettled(till, shop);
  let paid = paidIn(await load({ connections, perSecond, ms: warmupMs }));
  await till.db.query('analyze');
  const added: Record<'p50' | 'p99', number[]> = { p50: [], p99: [] };
  for (let round = 1; round <= rounds; round += 1) {
    await untilQuiet();
    const result = await load({ connections, perSecond, ms: 1000 * seconds });
    paid += paidIn(result);
    if (paidIn(result) !== result.sent) throw new Error(`answered ${JSON.stringify(result.statuses)}`);
    for (const part of ['p50', 'p99'] as const) added[part].push(result.admitted[part] - processorMs);
  }
  const settled = (await countSettled(till, shop)) - before;
  if (settled !== paid) throw new Error(`${paid} were answered, ${settled} stand settled`);
  const [p50, p99] = [added.p50, added.p99].map((all) => `${median(all).toFixed(1)} ms`);
  console.log(
    `added to a processor that answers after ${processorMs} ms, at ${perSecond} creates a second: p50 ${p50} (first: 10, goal: 5), p99 ${p99} (first: 30, goal: 15); ${paid} paid and settled`,
  );
}

await runBench(bench);
