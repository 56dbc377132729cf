import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Step } from '../../packages/server/src/cells/move/moving.ts';
import { CleanUp } from '../support/clean-up.ts';
import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { startMover } from '../support/mover.ts';
import { rowsIn } from '../support/rows-in.ts';
import { expectNothingLost, load, openTwoCells, type TwoCells, timeoutMs } from '../support/two-cells.ts';
import { until } from '../support/until.ts';

// Moves mostly wait until servers have read changes, so they run concurrently.
vi.setConfig({ maxConcurrency: 8 });
const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let cells: TwoCells;

beforeAll(async () => {
  cells = await openTwoCells(cleanUp);
});

const steps: readonly Step[] = [
  'noted',
  'copied',
  'held',
  'fenced',
  'committing',
  'arrived',
  'moved',
  'removed',
];

/** Opens one shop at home for each step. The shops take payments all the time. */
async function openShops(at: readonly Step[]) {
  const shops = await Promise.all(
    at.map(async (step) => {
      const shop = await Merchant.openAt(cells.server, 'processor_b');
      return { step, shop, traffic: load(shop, cleanUp, 1, false) };
    }),
  );
  await until('all take payments', () => shops.every(({ traffic }) => traffic.made.length > 3), timeoutMs);
  return shops;
}

async function goesOn({ made }: ReturnType<typeof load>): Promise<void> {
  const before = made.length;
  await until('it takes payments', () => made.length > before + 2, timeoutMs);
}

const cellsOf = async () => {
  const { data } = await cells.till<{ data: { id: string; cell: string }[] }>('accounts', 'list');
  return data;
};

/** Waits until the account is not being moved any more and only one cell has it. */
async function isSettledIn(account: string, cell: string): Promise<void> {
  const moves = async () =>
    queryDatabase(cells.urls.home, 'select 1 from account_moves where account_id = $1', [account]);
  await until('the move has ended', async () => (await moves()).length === 0, timeoutMs);
  expect((await cellsOf()).filter(({ id }) => id === account)).toMatchObject([{ cell }]);
}

describe('a command that is killed', () => {
  let shops: Awaited<ReturnType<typeof openShops>>;

  beforeAll(async () => {
    shops = await openShops(steps);
    const moves = shops.map(({ step, shop }) => ({ account: shop.id, at: step }));
    const mover = await startMover({ urls: { ...cells.urls }, to: 'east', moves });
    mover.process.kill('SIGKILL');
  }, 120_000);

  it.concurrent.each(steps)(
    'after the step %s leaves an account that takes payments, and moves when it is called again',
    async (step) => {
      const found = shops.find((one) => one.step === step);
      if (found === undefined) throw new Error('there is no such shop');
      const { shop, traffic } = found;
      await goesOn(traffic);
      const hasMoved = ['arrived', 'moved', 'removed'].includes(step);
      await isSettledIn(shop.id, hasMoved ? 'east' : 'home');
      if (!hasMoved) {
        expect(await rowsIn(cells, 'east', shop.id)).toEqual({});
        await cells.till('accounts', 'move', shop.id, '--to', 'east');
        await goesOn(traffic);
      }
      await traffic.stop();
      expect(traffic.refused).toEqual([]);
      await expectNothingLost(cells, shop, traffic.made, 'east', 'home');
    },
    180_000,
  );
});

it('a command that stands still and wakes up after the account was given back changes nothing', async () => {
  const shops = await openShops(['held', 'fenced', 'committing', 'arrived']);
  const moves = shops.map(({ step, shop }) => ({ account: shop.id, at: step }));
  const mover = await startMover({ urls: { ...cells.urls }, to: 'east', moves });
  cleanUp.add(async () => void mover.process.kill('SIGKILL'));
  mover.process.kill('SIGSTOP');
  await Promise.all(
    shops.map(async ({ step, shop, traffic }) => {
      await goesOn(traffic);
      await isSettledIn(shop.id, step === 'arrived' ? 'east' : 'home');
    }),
  );
  mover.process.kill('SIGCONT');
  const ended = await mover.goOn();
  expect(ended).toEqual(Object.fromEntries(shops.map(({ shop }) => [shop.id, 'move_taken_over'])));
  await Promise.all(
    shops.map(async ({ step, shop, traffic }) => {
      await goesOn(traffic);
      await traffic.stop();
      expect(traffic.refused).toEqual([]);
      if (step === 'arrived') await expectNothingLost(cells, shop, traffic.made, 'east', 'home');
      else await expectNothingLost(cells, shop, traffic.made, 'home', 'east');
    }),
  );
}, 180_000);

it('a move is ended although a statement of another one does not end', async () => {
  const stuck = await Merchant.openAt(cells.server, 'processor_b', '--cell', 'east');
  const other = await Merchant.openAt(cells.server, 'processor_b');
  const heldBy = (account: string, to: string) =>
    startMover({ urls: { ...cells.urls }, to, moves: [{ account, at: 'held' }] });
  const takesRequests = async (shop: Merchant) => (await shop.get('/api/v1/payments')).status === 200;
  const client = new pg.Client({ connectionString: cells.urls.east });
  await client.connect();
  try {
    const first = await heldBy(stuck.id, 'home');
    await client.query('begin');
    await client.query('select from departures where account_id = $1 for update', [stuck.id]);
    first.process.kill('SIGKILL');
    await until('a server waits', async () => {
      const waits = `select from pg_stat_activity where application_name = 'till move' and wait_event_type = 'Lock'`;
      return (await queryDatabase(cells.urls.east, waits)).length > 0;
    });
    const second = await heldBy(other.id, 'east');
    second.process.kill('SIGKILL');
    await until('the other takes requests', () => takesRequests(other), timeoutMs);
  } finally {
    await client.end();
  }
  await until('it takes requests', () => takesRequests(stuck), timeoutMs);
}, 120_000);
