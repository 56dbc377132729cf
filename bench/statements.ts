/**
 * Measures the cost of each statement of one create with pg_stat_statements, in executor time and bytes of WAL, with the
 * simulator and with a processor in another process. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/statements.ts [--seconds N]`. The times include waiting for a core; bytes and
 * calls do not depend on the machine.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './support/cleanup.ts';
import type { GeneratorJob } from './support/generator.ts';
import { httpText, slot } from './support/http-text.ts';
import { LoadProcess } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { openOutsideAccount } from './support/outside-processor.ts';
import { table } from './support/report.ts';
import { runBench } from './support/run.ts';
import { paymentBody, removeFolder, type Shop, startTill, type Till } from './support/till.ts';

const warmupMs = 2000;

interface Statement {
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly ms: number;
  readonly bytes: number;
}

/** The tables that a statement writes or, if it writes none, reads. */
function tablesOf(query: string): string {
  const written = [...query.matchAll(/\b(insert into|update|delete from) ([a-z_.]+)/g)].map(
    ([, verb = '', name = '']) => `${verb.split(' ')[0]} ${name}`,
  );
  const found =
    written.length > 0
      ? written
      : [...query.matchAll(/\b(?:from|join) ([a-z_.]+)/g)].map(([, name = '']) => name);
  const isTable = (name: string) =>
    !/^(set|of|skip|unnest|lateral|waiting)$/.test(name.split(' ').at(-1) ?? '');
  const names = [...new Set(found)].filter(isTable).join(', ');
  const short = names.length > 70 ? `${names.slice(0, 69)}…` : names;
  return short === '' ? query.replace(/\s+/g, ' ').slice(0, 60) : short;
}

async function measure(till: Till, shop: Shop, generator: LoadProcess, options: Options): Promise<string[]> {
  const job: GeneratorJob = {
    port: shop.port,
    connections: options.connections,
    warmupMs: 0,
    measureMs: warmupMs,
    request: httpText(
      'POST',
      '/api/v1/payments',
      { authorization: `Bearer ${shop.secretKey}`, 'idempotency-key': slot },
      paymentBody(slot),
    ),
    values: null,
    expect: { status: 201, head: '', body: '"status":"succeeded"' },
  };
  const roles = { server: till.pid, postmaster: till.postmaster };
  await generator.run(job, warmupMs + 30_000, roles);
  await till.db.query('select pg_stat_statements_reset()');
  const measureMs = 1000 * options.seconds;
  const { answered, perSecond } = await generator.run({ ...job, measureMs }, measureMs + 30_000, roles);
  const { rows } = await till.db.query<Statement>(
    `select query, calls::int, rows::int, total_exec_time as ms, wal_bytes::float8 as bytes
     from pg_stat_statements where query !~ 'pg_stat_statements' order by total_exec_time desc`,
  );
  const sum = (pick: (row: Statement) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const line = (name: string, { calls, ms, bytes, rows: count }: Omit<Statement, 'query'>) => [
    name,
    (calls / answered).toFixed(3),
    (count / Math.max(calls, 1)).toFixed(1),
    ((1000 * ms) / answered).toFixed(1),
    Math.round(bytes / answered).toLocaleString('en'),
  ];
  const all = {
    calls: sum(({ calls }) => calls),
    rows: sum(({ rows: count }) => count),
    ms: sum(({ ms }) => ms),
    bytes: sum(({ bytes }) => bytes),
  };
  return [
    `${answered} creates, ${Math.round(perSecond)}/s with tracking on`,
    ...table([
      ['', 'calls', 'rows a call', 'µs', 'log bytes'],
      line('all', all),
      ...rows.slice(0, 20).map((row) => line(tablesOf(row.query), row)),
    ]),
    '',
  ];
}

async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const preload = `alter system set shared_preload_libraries = 'pg_stat_statements'`;
  const till = await startTill(folder, null, cleanup, preload);
  await till.db.query('create extension pg_stat_statements');
  const outside = await openOutsideAccount(till, cleanup);
  const generator = new LoadProcess('support/generator.ts', cleanup);
  console.log('What one create costs in PostgreSQL, with the simulator and its notifications:');
  console.log((await measure(till, till, generator, options)).join('\n'));
  console.log('With a processor outside of the process, without notifications:');
  console.log((await measure(till, outside, generator, options)).join('\n'));
}

await runBench(bench);
