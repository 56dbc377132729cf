/** Replaces pgbench if it is not installed: makes the same calls through the `pg` driver. */
import pg from 'pg';
import type { LoadMessage } from './support/load-process.ts';
import { percentiles } from './support/statistics.ts';

export interface TwoCommitsJob {
  readonly url: string;
  readonly loops: number;
  readonly poolSize: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly request: string;
  readonly event: string;
  readonly answer: string;
}

async function createOne(pool: pg.Pool, job: TwoCommitsJob): Promise<void> {
  const begun = await pool.query<{ payment: string; idem_key: string }>({
    name: 'begin',
    text: 'select payment, idem_key from two_commits.begin_payment($1)',
    values: [job.request],
  });
  const [row] = begun.rows;
  await pool.query({
    name: 'settle',
    text: 'select two_commits.settle_payment($1, $2, $3, $4)',
    values: [row?.payment, row?.idem_key, job.event, job.answer],
  });
}

async function run(job: TwoCommitsJob): Promise<void> {
  const pool = new pg.Pool({ connectionString: job.url, max: job.poolSize });
  const latencies: number[] = [];
  let answered = 0;
  const start = performance.now();
  const from = start + job.warmupMs;
  const until = from + job.measureMs;
  const loop = async () => {
    for (let begun = performance.now(); begun < until; begun = performance.now()) {
      await createOne(pool, job);
      answered += 1;
      const now = performance.now();
      if (now >= from && now < until) latencies.push(now - begun);
    }
  };
  const timers = [
    setTimeout(() => report({ kind: 'measuring' }), job.warmupMs),
    setTimeout(() => report({ kind: 'measured' }), job.warmupMs + job.measureMs),
  ];
  let fault: string | null = null;
  try {
    await Promise.all(Array.from({ length: job.loops }, loop));
  } catch (error) {
    fault = String(error);
    for (const timer of timers) clearTimeout(timer);
  }
  await pool.end();
  const perSecond = latencies.length / (job.measureMs / 1000);
  report({ kind: 'done', result: { perSecond, ...percentiles(latencies), answered, fault } });
}

function report(message: LoadMessage): void {
  process.send?.(message);
}

process.on('message', (job: TwoCommitsJob) => void run(job));
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
