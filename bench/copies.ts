/**
 * Measures the cost of synchronizing home and a cell with many accounts: the four fingerprints that are computed for each cell
 * every two seconds, and the copying if one differs. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/copies.ts`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { fingerprintOfKnown, readKnown } from '../packages/server/src/accounts/known.ts';
import { fingerprintOfAccounts, updateAccountCopies } from '../packages/server/src/cells/store.ts';
import type { Queryable } from '../packages/server/src/store/database.ts';
import {
  fingerprintOfCopies,
  fingerprintOfPeople,
  readPeople,
  replaceCopies,
} from '../packages/server/src/users/people/copies.ts';
import type { Cleanup } from './support/cleanup.ts';
import { runToEnd } from './support/run.ts';
import { median } from './support/statistics.ts';
import { removeFolder, startTill } from './support/till.ts';

const sizes = [1_000, 10_000, 50_000] as const;
const peoplePerAccount = 3;
const rounds = 9;

/** Seeds one user for each account, and two users who are members of a hundred accounts each. */
const seedHome = `
  insert into account_cells select 'acct_' || i, 'east', 1000000 + 2 * i, 1000001 + 2 * i, 'Shop ' || i, 'processor_a', 'live', 'active', 'Europe/Berlin', 0
  from generate_series($1::int, $2::int) i;`;
const seedPeople = `
  insert into users select 'user_' || i, 'person' || i || '@shop.example', 'person' || i || '@shop.example', '', null, now()
  from generate_series($1::int, $2::int) i`;
const seedMemberships = `
  insert into memberships select 'acct_' || i, 'user_' || (case when k = 1 then i else i - i % 100 + k end), 'admin', null, now()
  from generate_series($1::int, $2::int) i cross join generate_series(1, ${peoplePerAccount}) k on conflict do nothing`;
const seedCell = `
  insert into accounts select 'acct_' || i, 'Shop ' || i, 'processor_a', 'live', 'active', true, 'Europe/Berlin', 0, now()
  from generate_series($1::int, $2::int) i`;

/** Opens a separate connection, as the owner of the tables. */
async function connect(url: string, cleanup: Cleanup): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  cleanup.add(() => client.end());
  return client;
}

const queryable = (client: pg.Client): Queryable =>
  ({
    query: async ({ text, values = [] }: { text: string; values?: unknown[] }) =>
      (await client.query(text, values)).rows,
  }) as unknown as Queryable;

async function timed(work: () => Promise<unknown>, times: number): Promise<string> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work();
    all.push(performance.now() - began);
  }
  return `${median(all).toFixed(1)} ms`;
}

await runToEnd(async (cleanup) => {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  // The server is only needed to set up the cell. The statements are measured directly, without its periodic copying.
  const till = await startTill(folder, null, cleanup);
  await till.db.query('create database east');
  const url = till.databaseUrl.replace(/\/[^/?]*(\?|$)/, '/east$1');
  await till.command('cells', 'add', 'east', '--url', url);
  process.kill(till.pid, 'SIGSTOP');
  cleanup.add(() => void process.kill(till.pid, 'SIGCONT'));
  const homeClient = till.db;
  const cellClient = await connect(url, cleanup);
  const [home, cell] = [queryable(homeClient), queryable(cellClient)];
  let seeded = 0;
  console.log('| accounts | fingerprints at home | in the cell | copying to home | people to the cell |');
  console.log('|---|---|---|---|---|');
  for (const size of sizes) {
    const range = [seeded, size - 1];
    for (const text of [seedHome, seedPeople, seedMemberships]) await homeClient.query(text, range);
    await cellClient.query(seedCell, range);
    seeded = size;
    await homeClient.query('analyze');
    await cellClient.query('analyze');
    const toHome = await timed(async () => updateAccountCopies(home, 'east', await readKnown(cell)), 1);
    const toCell = await timed(async () => {
      await replaceCopies(cell, await fingerprintOfCopies(cell), await readPeople(home, 'east'));
    }, 1);
    if ((await fingerprintOfPeople(home, 'east')) !== (await fingerprintOfCopies(cell))) {
      throw new Error('the copies differ');
    }
    const atHome = await timed(async () => {
      await fingerprintOfAccounts(home, 'east');
      await fingerprintOfPeople(home, 'east');
    }, rounds);
    const inCell = await timed(async () => {
      await fingerprintOfKnown(cell);
      await fingerprintOfCopies(cell);
    }, rounds);
    console.log(`| ${size} | ${atHome} | ${inCell} | ${toHome} | ${toCell} |`);
  }
});
