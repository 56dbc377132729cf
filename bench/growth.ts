/**
 * Compares the same requests on a small and on a large table. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/growth.ts [--rows N] [--seconds N] [--rounds N]`. Both servers run, each on a
 * separate database that is seeded by SQL, and are measured alternately.
 */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedPayments } from './dashboard/dashboard-seed.ts';
import type { Cleanup } from './support/cleanup.ts';
import type { GeneratorJob } from './support/generator.ts';
import { httpText, slot } from './support/http-text.ts';
import { LoadProcess, type Round } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { compare, formatReport, reportJson, toFigure } from './support/report.ts';
import { maxListConnections } from './support/requests.ts';
import { runBench } from './support/run.ts';
import { paymentBody, removeFolder, startTill, type Till } from './support/till.ts';

const small = 10_000;
const targets = { today: 0.9, first: 0.87, goal: 0.95 };
const sqlRepeats = 15;
const sampled = 5000;

type Request = Pick<GeneratorJob, 'request' | 'values' | 'expect'> &
  Partial<Pick<GeneratorJob, 'connections'>>;

interface Place {
  readonly rows: number;
  readonly till: Till;
  readonly tenant: number;
  readonly requests: Readonly<Record<string, Request>>;
}

async function openPlace(rows: number, folder: string, cleanup: Cleanup): Promise<Place> {
  const own = join(folder, String(rows));
  await mkdir(own);
  const till = await startTill(own, null, cleanup);
  const began = performance.now();
  const tenant = await seedPayments(till.db, till.accountId, rows);
  console.error(`${rows} payments seeded in ${Math.round((performance.now() - began) / 1000)} s`);
  const { rows: found } = await till.db.query<{ id: string }>(
    `select id from payments where tenant = $1
       and seq = any (array(select 1 + floor(random() * $2)::bigint from generate_series(1, $3)))
       and status = 'succeeded'`,
    [tenant, rows, sampled],
  );
  const authorization = `Bearer ${till.secretKey}`;
  const expect = { status: 200, head: '', body: '"status":"succeeded"' };
  const page = (number: number): Request => ({
    request: httpText('GET', `/api/v1/payments?per_page=10&page=${number}`, { authorization }),
    values: null,
    connections: maxListConnections,
    expect: { status: 200, head: '', body: '"object":"list"' },
  });
  return {
    rows,
    till,
    tenant,
    requests: {
      'create payment': {
        request: httpText(
          'POST',
          '/api/v1/payments',
          { authorization, 'idempotency-key': slot },
          paymentBody(slot),
        ),
        values: null,
        expect: { ...expect, status: 201 },
      },
      'retrieve payment': {
        request: httpText('GET', `/api/v1/payments/${slot}`, { authorization }),
        values: found.map(({ id }) => id),
        expect,
      },
      'list, page 1': page(1),
      'list, page 1,000': page(1000),
    },
  };
}

/** Measures the database's time for a page and for the count: the median of sequential repeats, in milliseconds. */
async function inSql({ till, tenant, rows }: Place): Promise<string> {
  const milliseconds = async (text: string, values: unknown[]): Promise<string> => {
    const taken: number[] = [];
    for (let repeat = 0; repeat < sqlRepeats; repeat += 1) {
      const began = performance.now();
      await till.db.query(text, values);
      taken.push(performance.now() - began);
    }
    return `${(taken.sort((a, b) => a - b)[Math.floor(sqlRepeats / 2)] ?? 0).toFixed(2)} ms`;
  };
  const own = 'from payments where tenant = $1';
  const page = `select * ${own} and seq <= $2 order by seq desc limit 20`;
  return [
    `total_count ${await milliseconds(`select max(seq) ${own}`, [tenant])}`,
    `newest 20 ${await milliseconds(page, [tenant, rows])}`,
    `20 in the middle ${await milliseconds(page, [tenant, Math.floor(rows / 2)])}`,
  ].join(', ');
}

async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const places = [await openPlace(small, folder, cleanup), await openPlace(options.rows, folder, cleanup)];
  const [few, many] = places;
  if (few === undefined || many === undefined) throw new Error('two places are compared');
  const generator = new LoadProcess('support/generator.ts', cleanup);
  const { connections, seconds, rounds } = options;
  const times = { connections, warmupMs: 1000, measureMs: seconds * 1000 };
  const measured = new Map<string, Round[]>();
  const label = (name: string, { rows }: Place) => `${name}, ${rows.toLocaleString('en')} payments`;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of Object.keys(few.requests)) {
      for (const place of places) {
        const request = place.requests[name];
        if (request === undefined) continue;
        const job: GeneratorJob = { ...times, ...request, port: place.till.port };
        const roles = { server: place.till.pid, postmaster: place.till.postmaster };
        const result = await generator.run(job, times.measureMs + 30_000, roles);
        // The first round only warms up caches and the JIT compiler.
        if (round === 0) continue;
        const key = label(name, place);
        measured.set(key, [...(measured.get(key) ?? []), result]);
        console.error(`round ${round}: ${key}: ${Math.round(result.perSecond)}/s`);
      }
    }
  }
  const report = {
    postgresVersion: many.till.postgresVersion,
    seconds,
    rounds,
    connections,
    figures: [...measured].map(([name, results]) => toFigure(name, results)),
    comparisons: Object.keys(few.requests).map((name) =>
      compare(
        `${name}: many ÷ few`,
        measured.get(label(name, many)) ?? [],
        measured.get(label(name, few)) ?? [],
        targets,
      ),
    ),
  };
  console.log(formatReport(report));
  for (const place of places)
    console.log(`SQL, ${place.rows.toLocaleString('en')} payments: ${await inSql(place)}`);
  console.log(reportJson(report));
}

await runBench(bench);
