import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { type DatabaseGate, databaseGate } from '../support/database-gate.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { commandJson, runCommand, temporaryFolder } from '../support/server.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let gate: DatabaseGate;
let settings: Record<string, string>;
let atHome: string;
let inEast: string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  gate = await databaseGate(cleanUp, await migratedDatabase(cleanUp));
  settings = {
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  await commandJson(settings, ['migrate']);
  await commandJson(settings, ['cells', 'add', 'east', '--url', gate.url]);
  const create = ['accounts', 'create', '--name', 'Shop', '--processor', 'processor_b'];
  atHome = (await commandJson<{ id: string }>(settings, create)).id;
  inEast = (await commandJson<{ id: string }>(settings, [...create, '--cell', 'east'])).id;
});

const run = async (...words: string[]) => {
  const { exitCode, out } = await runCommand(settings, [...words, '--json']);
  return { exitCode, ...(JSON.parse(out) as object) };
};
const payment = `pay_${'0'.repeat(24)}`;

it('a command about everything does the cells that are there, names the one that is away and fails', async () => {
  gate.set('shut');
  const named = { exitCode: 1, cells_away: ['east'] };
  expect(await run('accounts', 'list')).toMatchObject({ ...named, data: [{ id: atHome, cell: 'home' }] });
  expect(await run('reconcile')).toMatchObject({ ...named, compared: 0, differences: [] });
  expect(await run('migrate')).toMatchObject({ ...named, applied: [] });
  expect(await run('migrate', '--plan')).toMatchObject(named);
  expect(await run('figures', 'rebuild')).toMatchObject(named);
  expect(await run('vault', 'rotate')).toMatchObject(named);
  expect(await run('vault', 'rewrap')).toMatchObject(named);
  expect(await runCommand(settings, ['logs', 'tail', '--no-follow'])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('cell east'),
  });
  const error = { code: 'database_unavailable', message: expect.stringContaining('cell east') };
  expect(await run('accounts', 'get', inEast)).toMatchObject({ exitCode: 1, error });
  // The payment may be in the cell that is away.
  expect(await run('payments', 'get', payment)).toMatchObject({ exitCode: 1, error });

  gate.set('open');
  expect(await run('accounts', 'list')).toEqual({
    exitCode: 0,
    data: [expect.objectContaining({ id: atHome }), expect.objectContaining({ id: inEast })],
  });
  expect(await run('payments', 'get', payment)).toMatchObject({ error: { code: 'payment_not_found' } });
});
