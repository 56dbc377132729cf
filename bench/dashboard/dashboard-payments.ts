/**
 * Measures the response time of the dashboard's list with many payments. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/dashboard/dashboard-payments.ts [--rows N]`. Starts the built server on a separate
 * database, seeds it by SQL, and requests the first page of several views over HTTP, as the browser does.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandJson } from '../../tests/support/server.ts';
import { Cleanup } from '../support/cleanup.ts';
import { removeFolder, startTill, type Till } from '../support/till.ts';
import { seedPayments } from './dashboard-seed.ts';

/** The target for the server's response time of a first page. */
const targetMs = 300;
const repeats = 15;

/** The measured views with their query parameters. */
const views: readonly (readonly [name: string, query: Record<string, string>])[] = [
  ['unfiltered', {}],
  ['unfiltered, page 10,000', { page: '10000' }],
  ['status: failed', { status: 'failed' }],
  ['status: voided (1 in 1,000)', { status: 'voided' }],
  ['two statuses', { status: 'failed,voided' }],
  ['brand: amex', { brand: 'amex' }],
  ['rare: amex, JPY, amount', { brand: 'amex', currency: 'JPY', amount_gte: '100', amount_lte: '105' }],
  ['EUR by amount', { currency: 'EUR', sort: '-amount' }],
  ['failure code', { failure_code: 'expired_card' }],
  ['one old month', { created_gte: '2025-11-01T00:00:00Z', created_lt: '2025-12-01T00:00:00Z' }],
  [
    'old month, brand',
    { created_gte: '2025-11-01T00:00:00Z', created_lt: '2025-12-01T00:00:00Z', brand: 'amex' },
  ],
  ['search: last 4', { q: '4207' }],
  ['search: reference', { q: 'order-777777' }],
  ['search: beginning of references', { q: 'order-77' }],
  ['search: e-mail', { q: 'buyer1234@example.com' }],
  ['search: beginning of e-mails', { q: 'buyer12' }],
  ['search: last name', { q: 'müller77' }],
  ["search: processor's id", { q: 'CAP500000' }],
  ['search: metadata', { q: 'C100000' }],
  ['search: nothing', { q: 'no such thing' }],
  ['search: last 4, voided', { q: '4207', status: 'voided' }],
];

interface Staff {
  readonly ask: (path: string) => Promise<{ readonly status: number; readonly text: string }>;
}

/** Signs a user in, as the browser does. */
async function signIn(till: Till, environment: Record<string, string>): Promise<Staff> {
  const [email, password] = ['bench@shop.example', 'a long enough password'];
  const parameters = [
    '--account',
    till.accountId,
    '--email',
    email,
    '--password',
    password,
    '--role',
    'viewer',
  ];
  await commandJson(environment, ['users', 'create', ...parameters]);
  const origin = `http://127.0.0.1:${till.port}`;
  const answer = await fetch(`${origin}/dashboard/api/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  if (answer.status !== 200) throw new Error(`sign-in: ${await answer.text()}`);
  return {
    async ask(path) {
      const reply = await fetch(`${origin}/dashboard/api/accounts/${till.accountId}${path}`, {
        headers: { cookie },
      });
      return { status: reply.status, text: await reply.text() };
    },
  };
}

const middle = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
const shown = (ms: number) => ms.toFixed(1).padStart(8);

/** Requests one view repeatedly. @returns milliseconds of the first request, and the median and maximum of the others */
async function measure(staff: Staff, query: Record<string, string>) {
  const path = `/payments?${new URLSearchParams(query).toString()}`;
  const times: number[] = [];
  let text = '';
  for (let n = 0; n <= repeats; n += 1) {
    const begin = performance.now();
    const reply = await staff.ask(path);
    times.push(performance.now() - begin);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    ({ text } = reply);
  }
  const [first = Number.NaN, ...rest] = times;
  const sorted = rest.toSorted((one, other) => one - other);
  return { first, median: middle(sorted), slowest: sorted.at(-1) ?? Number.NaN, answer: JSON.parse(text) };
}

/** Exports one month. @returns a text with the duration */
async function measureExport(staff: Staff): Promise<string> {
  const month = { created_gte: '2025-11-01T00:00:00Z', created_lt: '2025-12-01T00:00:00Z' };
  const begin = performance.now();
  const { text } = await staff.ask(`/payments/export?${new URLSearchParams(month).toString()}`);
  const seconds = (performance.now() - begin) / 1000;
  const lines = text.split('\r\n').length - 3;
  return `export of a month: ${lines.toLocaleString('en')} rows, ${Math.round(lines / seconds).toLocaleString('en')} rows/s`;
}

async function main(cleanup: Cleanup): Promise<boolean> {
  const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
  const rows = Number(values.rows);
  if (!Number.isInteger(rows) || rows < 1000) throw new Error('--rows takes an integer of at least 1000');
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const till = await startTill(folder, null, cleanup);
  const environment = { DATABASE_URL: till.databaseUrl, TILL_DATA_DIR: join(folder, 'data') };
  console.log(`PostgreSQL ${till.postgresVersion}, seeding ${rows.toLocaleString('en')} payments`);
  await seedPayments(till.db, till.accountId, rows);
  const staff = await signIn(till, environment);
  console.log(`first page of 50, milliseconds over HTTP, median of ${repeats}; target ${targetMs}`);
  console.log(
    `${'view'.padEnd(34)}${'first'.padStart(8)}${'median'.padStart(8)}${'slowest'.padStart(8)}   rows / total`,
  );
  let slow = 0;
  for (const [name, query] of views) {
    const { first, median, slowest, answer } = await measure(staff, query);
    if (median > targetMs) slow += 1;
    const total = `${answer.total_is_exact ? '' : '≥ '}${answer.total_count.toLocaleString('en')}`;
    console.log(
      `${name.padEnd(34)}${shown(first)}${shown(median)}${shown(slowest)}   ${answer.data.length} / ${total}`,
    );
  }
  console.log(await measureExport(staff));
  console.log(slow === 0 ? 'every view within the target' : `${slow} views over the target`);
  return slow === 0;
}

const cleanup = new Cleanup();
cleanup.onAbruptEnd();
try {
  process.exitCode = (await main(cleanup)) ? 0 : 1;
} finally {
  await cleanup.run();
}
