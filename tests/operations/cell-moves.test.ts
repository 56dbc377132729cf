import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movedTables, readCatalogue } from '../../packages/server/src/cells/move/tables.ts';
import { openDatabase } from '../../packages/server/src/store/database.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Merchant } from '../support/merchant.ts';
import { startMover } from '../support/mover.ts';
import { rowsIn } from '../support/rows-in.ts';
import { runCommand } from '../support/server.ts';
import { expectNothingLost, load, openTwoCells, type TwoCells } from '../support/two-cells.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let cells: TwoCells;

beforeAll(async () => {
  cells = await openTwoCells(cleanUp);
});

describe('an account that moves while it takes payments', () => {
  it('loses nothing and does nothing twice, there and back', async () => {
    const shop = await Merchant.openAt(cells.server, 'processor_b');
    const hook = await cells.till(
      'webhooks',
      'create',
      '--account',
      shop.id,
      '--url',
      'http://127.0.0.1:9/hook',
    );
    const traffic = load(shop, cleanUp, 4, true);
    await until('it takes payments', async () => traffic.made.length > 10);
    for (const [to, from] of [
      ['east', 'home'],
      ['home', 'east'],
    ] as const) {
      const moved = await cells.till<{ held_ms: number }>('accounts', 'move', shop.id, '--to', to);
      expect(moved.held_ms).toBeLessThan(5_000);
      const before = traffic.made.length;
      await until('it goes on', async () => traffic.made.length > before + 5);
      expect((await rowsIn(cells, from, shop.id)).payments ?? 0).toBe(0);
    }
    expect(await traffic.stop()).toBeLessThan(15_000);
    expect(traffic.refused).toEqual([]);
    await expectNothingLost(cells, shop, traffic.made, 'home', 'east');
    const endpoints = await cells.till<{ data: { id: string }[] }>('webhooks', 'list', '--account', shop.id);
    expect(endpoints.data.map(({ id }) => id)).toEqual([hook.id]);
    // Refusals during a move are planned, and are not logged as errors.
    const lines = cells.server.printed().err.split('\n');
    expect(lines.filter((line) => /"level":"error".*is being moved/.test(line))).toEqual([]);
  }, 120_000);
});

it('every table is at home, of each database, or moves with the account that its rows name', async () => {
  const db = openDatabase({
    url: cells.urls.home,
    connections: 1,
    applicationName: 'till test',
    onError: () => {},
  });
  cleanUp.add(() => db.close());
  const query = <Row>(statement: { readonly text: string }) =>
    db.query<Row>({ ...statement, scope: 'everybody' });
  const names = (await readCatalogue({ query })).map(({ name }) => name);
  const moved = (await movedTables({ query })).map(({ name }) => name);
  expect(moved.length).toBeGreaterThan(30);
  expect(moved.filter((name) => !names.includes(name))).toEqual([]);
});

it('an account is moved by one process at a time, and to a cell that there is', async () => {
  const shop = await Merchant.openAt(cells.server, 'processor_b');
  const moves = [{ account: shop.id, at: 'copied' }] as const;
  const mover = await startMover({ urls: { ...cells.urls }, to: 'east', moves });
  const code = async (...words: string[]) =>
    JSON.parse((await runCommand(cells.settings, [...words, '--json'])).out).error.code;
  expect(await code('accounts', 'move', shop.id, '--to', 'east')).toBe('move_under_way');
  mover.process.kill('SIGKILL');
  expect(await code('accounts', 'move', shop.id, '--to', 'west')).toBe('cell_not_found');
  expect(await code('accounts', 'move', 'acct_nobody', '--to', 'east')).toBe('account_not_found');
  await cells.till('accounts', 'move', shop.id, '--to', 'east');
  expect(await code('accounts', 'move', shop.id, '--to', 'east')).toBe('already_there');
});
