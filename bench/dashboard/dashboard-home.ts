/*
 * Measures the queries of the dashboard's home page with a million payments:
 *   node --import tsx --conditions=source bench/dashboard/dashboard-home.ts [payments]
 * Starts a separate PostgreSQL, fills it, builds the counters, and reads the data of the page.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/accounts.ts';
import { type AccountRow, currentTenant, modesOf } from '../../packages/server/src/accounts/store.ts';
import { Calendar } from '../../packages/server/src/dashboard/figures/calendar.ts';
import { catchUp, countFigures, rebuildFigures } from '../../packages/server/src/dashboard/figures/count.ts';
import { readAttention } from '../../packages/server/src/dashboard/home/attention.ts';
import { readCharts } from '../../packages/server/src/dashboard/home/charts.ts';
import { stepsDone } from '../../packages/server/src/dashboard/home/checklist-store.ts';
import { readKeyFigures } from '../../packages/server/src/dashboard/home/key-figures.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { migrate } from '../../packages/server/src/store/migrations/migrate.ts';
import type { Tenant } from '../../packages/server/src/store/tenant.ts';
import { Cleanup } from '../support/cleanup.ts';
import { percentiles } from '../support/statistics.ts';

const days = 90;
const rounds = 15;
const print = (text: string) => void process.stdout.write(`${text}\n`);
const now = systemClock.now();

/** Payments over 90 days in three currencies: nine in ten are approved, the others have six decline reasons or are unfinished. */
const paymentsSql = `insert into payments (tenant, id, seq, status, version, event_count, amount,
    currency, capture_method, method_type, brand, last4, failure_code, authorization_expires, request, created_at)
  select $1, 'pay_' || lpad(n::text, 24, '0'), n,
    case when n % 10 = 0 then 'failed' when n % 97 = 0 then 'authorized' when n % 101 = 0 then 'voided'
      else 'succeeded' end,
    1, 1, 100 + n % 20000, (array['EUR', 'EUR', 'EUR', 'USD', 'SEK'])[1 + n % 5], 'automatic', 'card', 'visa', '1111',
    case when n % 10 = 0 then (array['refused', 'do_not_honor', 'insufficient_funds', 'expired_card', 'invalid_cvv',
      'lost_card', '3ds_failed', '3ds_abandoned'])[1 + n / 10 % 8] end,
    case when n % 97 = 0 and n % 10 <> 0 then at + interval '29 days' end, '{}', at
  from generate_series(1, $3::int) n
  cross join lateral (
    select $2::timestamptz - ($3 - n) * (interval '${days} days' / $3::int) as at) made`;

const eventsSql = `insert into events (tenant, id, seq, type, object_id, sequence, object, created_at)
  select tenant, 'evt_' || lpad(seq::text, 24, '0'), seq, 'payment.' || status, id, 1, '{}', created_at
  from payments where tenant = $1`;

const refundsSql = `insert into refunds (tenant, id, seq, payment_id, amount, currency, status, metadata,
    version, event_count, created_at)
  select tenant, 're_' || lpad(seq::text, 24, '0'), seq, id, amount, currency, 'succeeded', '{}', 1, 1,
    created_at + interval '1 day'
  from payments where tenant = $1 and status = 'succeeded' and seq % 20 = 1`;

const disputesSql = `insert into disputes (tenant, id, seq, payment_id, state, status, reason, respond_by,
    upstream_id, version, event_count, created_at)
  select tenant, 'dsp_' || lpad(seq::text, 24, '0'), seq, id, 'chargeback',
    case when created_at > $2::timestamptz - interval '10 days' then 'action_required' else 'lost' end, 'fraudulent',
    created_at + interval '20 days', id, 1, 1, created_at + interval '5 days'
  from payments where tenant = $1 and status = 'succeeded' and seq % 300 = 1`;

const requestsSql = `insert into request_logs (tenant, seq, id, at, method, route, path, status,
    duration_ms, key_id, ip, replayed, request_bytes, answer_bytes)
  select $1, n, 'req_' || n, $2::timestamptz - ($3 - n) * (interval '29 days' / $3::int), 'POST', '/x', '/x', 201,
    8 + n % 40 + case when n % 50 = 0 then 400 else 0 end, 'key', '127.0.0.1', false, 0, 0
  from generate_series(1, $3::int) n`;

const attemptsSql = `insert into delivery_attempts (account_id, endpoint_id, delivery_id, number, tenant, event_id, url,
    request_headers, answer_status, duration_ms, at, account_at)
  select $1, 'we_1', 'dlv_' || n, 1, $4, 'evt_' || n, 'https://shop.example', '{}', case when n % 40 = 0 then 500 else 200 end,
    20, t.at, t.at
  from generate_series(1, $3::int) n
    cross join lateral (select $2::timestamptz - ($3 - n) * (interval '29 days' / $3::int) as at) t`;

async function fill(db: Database, { tenant, accountId }: Tenant, payments: number): Promise<void> {
  const logged = Math.round(payments / 2);
  const run = (text: string, values: readonly unknown[]) => db.query({ text, values, scope: 'everybody' });
  await run(paymentsSql, [tenant, now, payments]);
  await run(eventsSql, [tenant]);
  await run(refundsSql, [tenant]);
  await run(disputesSql, [tenant, now]);
  await run(requestsSql, [tenant, now, logged]);
  await run(attemptsSql, [accountId, now, logged, tenant]);
  await run(
    `insert into counters (tenant, list, last)
     values ($1, 'events', $2), ($1, 'payments', $2), ($1, 'request_logs', $3)`,
    [tenant, payments, logged],
  );
  await run('analyze', []);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = systemClock.elapsed();
  await work();
  return systemClock.elapsed() - start;
}

/** Prints the median and the maximum of several rounds, in milliseconds. */
async function report(label: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
  const { p50, p99 } = percentiles(times);
  print(`${label.padEnd(44)} ${p50.toFixed(1).padStart(8)} ms  slowest ${p99.toFixed(1).padStart(8)} ms`);
}

async function readings(db: Database, account: AccountRow): Promise<void> {
  const calendar = new Calendar('Europe/Berlin');
  const tenant = currentTenant(account);
  await report('nothing new to count', () => catchUp({ db, clock: systemClock }, tenant));
  await report('key figures', () => readKeyFigures(db, tenant, now, calendar));
  for (const range of [7, 30, 90]) {
    const options = { days: range, currency: null, now, realNow: now, seesEndpoints: true };
    await report(`charts of ${range} days`, () => readCharts(db, tenant, options, calendar));
  }
  await report('needs attention', () => readAttention(db, tenant, { now, seesEndpoints: true }));
  await report('first steps', () =>
    stepsDone(db, { accountId: tenant.accountId, userId: 'usr_1', modes: modesOf(account) }),
  );
}

async function main(payments: number, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-home-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  cleanup.add(() => postgres.stop());
  const db = openDatabase({ url: postgres.url, connections: 6, applicationName: 'bench', onError: () => {} });
  cleanup.add(() => db.close());
  await migrate(db, now);
  const options = { name: 'Shop', processor: 'processor_b', environment: 'sandbox' } as const;
  const account = await createAccount({ db, clock: systemClock, randomBytes }, options);
  const tenant = currentTenant(account);
  print(`${payments} payments: filled in ${(await timed(() => fill(db, tenant, payments))).toFixed(0)} ms`);
  const deps = { db, clock: systemClock };
  print(`counted step by step in ${(await timed(() => countFigures(deps))).toFixed(0)} ms`);
  print(`rebuilt in ${(await timed(() => rebuildFigures(deps, tenant.accountId))).toFixed(0)} ms`);
  await readings(db, account);
}

const cleanup = new Cleanup();
cleanup.onAbruptEnd();
try {
  await main(Number(process.argv[2] ?? 1_000_000), cleanup);
} finally {
  await cleanup.run();
}
