import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { startMover } from '../support/mover.ts';
import { openTwoCells, type TwoCells } from '../support/two-cells.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let cells: TwoCells;
let shop: Merchant;
let browser: Browser;

/** Simulates a move to home in progress: home already has some rows of the account, its tenant numbers and its credentials. */
beforeAll(async () => {
  cells = await openTwoCells(cleanUp);
  shop = await Merchant.openAt(cells.server, 'processor_b', '--cell', 'east');
  browser = await Browser.of(shop, 'owner', cells.server);
  const mover = await startMover({
    urls: { ...cells.urls },
    to: 'home',
    moves: [{ account: shop.id, at: 'copied' }],
  });
  cleanUp.add(async () => void mover.process.kill('SIGKILL'));
});

const keysIn = async (cell: 'home' | 'east') =>
  (
    await queryDatabase<{ id: string }>(
      cells.urls[cell],
      `select id from api_keys where account_id = '${shop.id}' order by id`,
    )
  ).map(({ id }) => id);

it('a command that names the account changes it where it is', async () => {
  const made = await cells.till<{ id: string; secret_key: string }>('keys', 'create', '--account', shop.id);
  expect(await keysIn('home')).toEqual([]);
  expect(await keysIn('east')).toContain(made.id);
  const paid = await new Merchant(shop.id, made.secret_key, cells.server).pay();
  expect(paid.status).toBe(201);
  const found = await queryDatabase(cells.urls.east, `select id from payments where id = '${paid.body.id}'`);
  expect(found).toHaveLength(1);
  await cells.till('accounts', 'update', shop.id, '--activation', 'suspended');
  const [east] = await queryDatabase(
    cells.urls.east,
    `select activation from accounts where account_id = '${shop.id}'`,
  );
  expect(east).toEqual({ activation: 'suspended' });
  await cells.till('accounts', 'update', shop.id, '--activation', 'active');
});

it('the dashboard changes it where it is, however its address is written', async () => {
  const before = (await keysIn('east')).length;
  const { status } = await browser.post(
    `/accounts/%61${shop.id.slice(1)}/api_keys`,
    { name: 'Till' },
    { idempotencyKey: randomUUID() },
  );
  expect(status).toBe(201);
  expect(await keysIn('home')).toEqual([]);
  expect(await keysIn('east')).toHaveLength(before + 1);
});
