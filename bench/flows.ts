/**
 * Measures how fast existing payments are confirmed, captured, refunded and listed, compared with pgbench running the two commits
 * of such an operation. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/flows.ts [--seconds N] [--rounds N]`.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { halfLoadLine, openLoad } from './overload/steady-load.ts';
import type { Cleanup } from './support/cleanup.ts';
import { untilQuiet } from './support/cpu.ts';
import type { GeneratorJob } from './support/generator.ts';
import { httpText, slot } from './support/http-text.ts';
import { LoadProcess, type Round } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { compare, formatReport, reportJson, toFigure } from './support/report.ts';
import { maxListConnections } from './support/requests.ts';
import { runBench } from './support/run.ts';
import {
  keptRequest,
  paymentBody,
  post,
  removeFolder,
  type Shop,
  seedPayments,
  startTill,
  type Till,
} from './support/till.ts';
import { prepareTwoCommits } from './two-commits.ts';

/** The number of payments for one operation in one round. Two cores sustain at most some 600 confirms per second. */
const perRound = 1500;
const atOnce = 32;

/** An operation, and how to prepare payments for it. */
interface Flow {
  readonly label: string;
  /** The ratio of the first version's throughput to that of the two commits. */
  readonly firstVersion: number;
  readonly shop: Shop;
  /** Creates a payment for the operation. @returns its id */
  readonly prepare: () => Promise<string>;
  readonly request: readonly string[];
  readonly expect: GeneratorJob['expect'];
}

const operation = (shop: Shop, path: string, body?: string) =>
  httpText(
    'POST',
    `/api/v1/payments/${slot}/${path}`,
    { authorization: `Bearer ${shop.secretKey}`, 'idempotency-key': slot },
    body,
  );

function flowsOf(a: Shop, b: Shop): Flow[] {
  const create = async (shop: Shop, change: object) => {
    const key = randomUUID();
    const body = { ...(JSON.parse(paymentBody(key)) as object), ...change };
    const { id } = await post<{ id: string }>(shop, '/api/v1/payments', key, body);
    return id;
  };
  return [
    {
      label: 'confirm payment (B)',
      firstVersion: 0.21,
      shop: b,
      async prepare() {
        const id = await create(b, { payment_method: { type: 'processor_b' } });
        await post(b, `/api/v1/test_helpers/payments/${id}/approve`, null, {});
        return id;
      },
      request: operation(b, 'confirm'),
      expect: { status: 200, head: '', body: '"status":"succeeded"' },
    },
    {
      label: 'capture payment (B)',
      firstVersion: 0.27,
      shop: b,
      prepare: () => create(b, { capture_method: 'manual' }),
      request: operation(b, 'capture'),
      expect: { status: 200, head: '', body: '"status":"succeeded"' },
    },
    {
      label: 'refund payment (A)',
      firstVersion: 0.33,
      shop: a,
      prepare: () => create(a, {}),
      request: operation(a, 'refunds', '{}'),
      expect: { status: 201, head: '', body: '"status":"pending"' },
    },
  ];
}

async function prepareMany(flow: Flow): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  const worker = async () => {
    while (begun < perRound) {
      begun += 1;
      ids.push(await flow.prepare());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return ids;
}

async function atHalfLoad(flow: Flow, perSecond: number, connections: number, cleanup: Cleanup) {
  const values = await prepareMany(flow);
  await untilQuiet();
  const { request, shop, label, expect } = flow;
  const ms = (1000 * (values.length - 1)) / perSecond;
  const job = { port: shop.port, request, values, connections, perSecond, ms };
  return halfLoadLine(label, perSecond, expect.status, await openLoad(cleanup)(job));
}

async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const till: Till = await startTill(folder, null, cleanup);
  const seed = await seedPayments(till, 200);
  const { connections, seconds, rounds } = options;
  const floor = await prepareTwoCommits({ till, folder, seed, cleanup, connections, request: keptRequest() });
  const generator = new LoadProcess('support/generator.ts', cleanup);
  const roles = { server: till.pid, postmaster: till.postmaster };
  const times = { connections, warmupMs: 1000, measureMs: seconds * 1000 };
  const flows = flowsOf(till, await till.openAccount('processor_b'));
  const list = {
    request: httpText('GET', '/api/v1/payments?per_page=20', { authorization: `Bearer ${till.secretKey}` }),
    expect: { status: 200, head: '', body: '"object":"list"' },
  };
  const measured: { readonly label: string; readonly rounds: Round[] }[] = [
    ...flows.map(({ label }) => ({ label, rounds: [] })),
    { label: 'list payments, page 1', rounds: [] },
    { label: floor.label, rounds: [] },
  ];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, flow] of flows.entries()) {
      const job: GeneratorJob = {
        ...times,
        port: flow.shop.port,
        request: flow.request,
        values: await prepareMany(flow),
        once: true,
        expect: flow.expect,
      };
      measured[index]?.rounds.push(await generator.run(job, 150_000, roles));
    }
    const few = Math.min(connections, maxListConnections);
    const listed: GeneratorJob = { ...times, ...list, connections: few, port: till.port, values: null };
    measured.at(-2)?.rounds.push(await generator.run(listed, times.measureMs + 30_000, roles));
    measured.at(-1)?.rounds.push(await floor.round(times.warmupMs, times.measureMs));
    for (const { label, rounds: results } of measured) {
      console.error(`round ${round}: ${label}: ${Math.round(results.at(-1)?.perSecond ?? 0)}/s`);
    }
  }
  const floorRounds = measured.at(-1)?.rounds ?? [];
  const report = {
    postgresVersion: till.postgresVersion,
    seconds,
    rounds,
    connections,
    figures: measured.map(({ label, rounds: results }) => toFigure(label, results)),
    comparisons: measured.slice(0, flows.length).map(({ label, rounds: results }, index) =>
      compare(`${label} ÷ two commits`, results, floorRounds, {
        today: flows[index]?.firstVersion ?? Number.NaN,
        first: 0.7,
        goal: 1.2,
      }),
    ),
  };
  console.log(formatReport(report));
  for (const [index, flow] of flows.entries()) {
    const perSecond = (report.figures[index]?.perSecond ?? 0) / 2;
    console.log(await atHalfLoad(flow, perSecond, connections, cleanup));
  }
  console.log(reportJson(report));
}

await runBench(bench);
