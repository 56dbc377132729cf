import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { type DatabaseGate, databaseGate } from '../support/database-gate.ts';
import { freePort } from '../support/free-port.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let urls: { readonly home: string; readonly east: string };
let gate: DatabaseGate;
let metrics: string;
let settings: Record<string, string>;
let server: RunningServer;
let atHome: Merchant;
let inEast: Merchant;

const till = <T = Record<string, unknown>>(...words: string[]) => commandJson<T>(settings, words);
const refused = async (...words: string[]) =>
  JSON.parse((await runCommand(settings, [...words, '--json'])).out).error.code as string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  urls = { home: await migratedDatabase(cleanUp), east: await migratedDatabase(cleanUp) };
  gate = await databaseGate(cleanUp, urls.east);
  metrics = `127.0.0.1:${await freePort()}`;
  settings = {
    DATABASE_URL: urls.home,
    TILL_DATA_DIR: folder.path,
    TILL_RATE_LIMIT_RPS: '0',
    TILL_METRICS_ADDR: metrics,
  };
  server = await startServer(settings);
  cleanUp.add(() => server.stop('SIGKILL'));
  await till('cells', 'add', 'east', '--url', gate.url);
  atHome = await Merchant.openAt(server, 'processor_b');
  inEast = await Merchant.openAt(server, 'processor_b', '--cell', 'east');
  await until('the cell is served', async () => (await inEast.get('/api/v1/payments')).status === 200);
});

const idsIn = async (url: string, table: string, id = 'id') =>
  (await queryDatabase<{ id: string }>(url, `select ${id} as id from ${table}`)).map((row) => row.id);

describe('an account in another cell', () => {
  it('has its rows there, and is known at home by name only', async () => {
    expect(await idsIn(urls.east, 'accounts', 'account_id')).toEqual([inEast.id]);
    expect(await idsIn(urls.home, 'accounts', 'account_id')).not.toContain(inEast.id);
    const cells = await till<{ data: unknown[] }>('cells', 'list');
    expect(cells.data).toEqual([
      { name: 'home', state: 'active', accounts: 3 },
      { name: 'east', state: 'active', accounts: 1 },
    ]);
  });

  it('takes payments, refunds, checkout and notifications as one at home does', async () => {
    for (const [shop, url, other] of [
      [atHome, urls.home, urls.east],
      [inEast, urls.east, urls.home],
    ] as const) {
      const paid = await shop.pay();
      expect(paid.status).toBe(201);
      const refund = await shop.post(`/api/v1/payments/${paid.body.id}/refunds`, { amount: 100 });
      expect(refund.status).toBe(201);
      await until('the refund has succeeded', async () => {
        const { body } = await shop.get(`/api/v1/refunds/${refund.body.id}`);
        return body.status === 'succeeded';
      });
      expect(await idsIn(url, 'payments')).toContain(paid.body.id);
      expect(await idsIn(other, 'payments')).not.toContain(paid.body.id);
      const hosted = await shop.pay({ payment_method: { type: 'card_fields' } });
      const page = await fetch(hosted.body.next_action.checkout_url);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('Test shop');
    }
  });

  it('has numbers that no account in another cell has', async () => {
    const tenants = await Promise.all(
      [urls.home, urls.east].map((url) =>
        queryDatabase<{ tenant: number }>(url, 'select tenant from tenants'),
      ),
    );
    const numbers = tenants.flat().map(({ tenant }) => tenant);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('takes a new key at its first request, and refuses an ended and an unknown one', async () => {
    const made = await till<{ id: string; secret_key: string }>('keys', 'create', '--account', inEast.id);
    expect((await inEast.get('/api/v1/payments')).status).toBe(200);
    const withKey = (key: string) => inEast.call('GET', '/api/v1/payments', { key });
    expect((await withKey(made.secret_key)).status).toBe(200);
    await till('keys', 'revoke', made.id);
    expect((await withKey(made.secret_key)).body.error.code).toBe('invalid_api_key');
    expect((await withKey('sk_test_nobody')).body.error.code).toBe('invalid_api_key');
  });
});

describe('the command line', () => {
  it('finds what it names in whichever cell it is', async () => {
    const paid = await inEast.pay();
    expect(await till('payments', 'get', paid.body.id)).toMatchObject({ id: paid.body.id });
    expect(await till('accounts', 'get', inEast.id)).toMatchObject({ id: inEast.id });
    expect(await refused('accounts', 'get', 'acct_nobody')).toBe('account_not_found');
    const accounts = await till<{ data: { id: string; cell: string }[] }>('accounts', 'list');
    expect(accounts.data.find(({ id }) => id === inEast.id)?.cell).toBe('east');
    expect(accounts.data.find(({ id }) => id === atHome.id)?.cell).toBe('home');
  });

  it('looks after everything in all cells', async () => {
    await Promise.all([atHome.pay(), inEast.pay()]);
    const { compared, differences } = await till<{ compared: number; differences: [] }>('reconcile');
    expect(compared).toBeGreaterThan(1);
    expect(differences).toEqual([]);
    const rebuilt = await till<{ data: { account: string }[] }>('figures', 'rebuild');
    expect(rebuilt.data.map(({ account }) => account)).toEqual(
      expect.arrayContaining([atHome.id, inEast.id]),
    );
    const { checks } = JSON.parse((await runCommand(settings, ['doctor', '--json'])).out);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'cell east: schema', state: 'ok' }));
    expect(await till('vault', 'rewrap')).toEqual({ keys: 0 });
  });

  it('places new accounts where the operator wants them', async () => {
    await till('cells', 'drain', 'home');
    const placed = await till('accounts', 'create', '--name', 'Placed', '--processor', 'processor_b');
    expect(placed.cell).toBe('east');
    await till('cells', 'drain', 'home', '--undo');
    expect(await refused('cells', 'drain', 'west')).toBe('cell_not_found');
  });

  it('makes no database a cell that is one already, or has accounts', async () => {
    expect(await refused('cells', 'add', 'east', '--url', urls.east)).toBe('cell_exists');
    expect(await refused('cells', 'add', 'west', '--url', urls.east)).toBe('database_in_use');
    expect(await refused('cells', 'add', 'west', '--url', urls.home)).toBe('database_in_use');
    const started = startServer({ ...settings, DATABASE_URL: urls.east });
    await expect(started).rejects.toThrow('DATABASE_URL names the home database');
  });
});

describe('till doctor', () => {
  it('says which accounts are in another database than the directory names', async () => {
    const home = await migratedDatabase(cleanUp);
    const own = { DATABASE_URL: home, TILL_MASTER_KEY: randomBytes(32).toString('base64') };
    await commandJson(own, ['cells', 'add', 'east', '--url', await migratedDatabase(cleanUp)]);
    const shop = ['accounts', 'create', '--name', 'Shop', '--processor', 'processor_b', '--cell'];
    const open = (cell: string) => commandJson<{ id: string }>(own, [...shop, cell]);
    const [left, forgotten] = [await open('home'), await open('east')];
    const places = async () => {
      const { checks } = JSON.parse((await runCommand(own, ['doctor', '--json'])).out);
      return (checks as { check: string; state: string; detail: string }[])
        .filter(({ check }) => check.endsWith('accounts placed by the directory'))
        .map(({ check, state, detail }) => `${check}: ${state}, ${detail}`);
    };
    expect(await places()).toEqual([
      'accounts placed by the directory: ok, all',
      'cell east: accounts placed by the directory: ok, all',
    ]);
    // Simulates databases that were restored to different times.
    await queryDatabase(home, 'delete from cell_keys');
    await queryDatabase(home, 'update account_cells set account_id = $1', [left.id]);
    expect(await places()).toEqual([
      `accounts placed by the directory: fail, not there by the directory: ${left.id}`,
      `cell east: accounts placed by the directory: fail, not there by the directory: ${forgotten.id}`,
    ]);
  });
});

describe('the address of a cell', () => {
  it('can be changed to another one of the same database only, and servers follow', async () => {
    const moved = gate.url.replace('?', '?application_name=moved&');
    expect(await refused('cells', 'address', 'east', '--url', urls.home)).toBe('another_database');
    expect(await refused('cells', 'address', 'west', '--url', moved)).toBe('cell_not_found');
    expect(await refused('cells', 'address', 'home', '--url', moved)).toBe('home_stays');
    expect(await till('cells', 'address', 'east', '--url', moved)).toEqual({ name: 'east', changed: true });
    const line = 'the cell was removed, or its address changed';
    await until('the server has let go of the former address', () => server.printed().err.includes(line));
    await until('the cell is served', async () => (await inEast.get('/api/v1/payments')).status === 200);
    expect((await inEast.pay()).status).toBe(201);
    await till('cells', 'address', 'east', '--url', gate.url);
  });
});

describe('a cell that is removed', () => {
  it('has nothing left, is let go of by running servers, and can be added again', async () => {
    const west = await migratedDatabase(cleanUp);
    // A refusal because of a taken name leaves no mark in the database.
    expect(await refused('cells', 'add', 'east', '--url', west)).toBe('cell_exists');
    await till('cells', 'add', 'west', '--url', west);
    const shop = await Merchant.openAt(server, 'processor_b', '--cell', 'west');
    await until('the cell is served', async () => (await shop.get('/api/v1/payments')).status === 200);
    expect(await refused('cells', 'remove', 'west')).toBe('cell_not_draining');
    await till('cells', 'drain', 'west');
    const full = await runCommand(settings, ['cells', 'remove', 'west', '--json']);
    const { error } = JSON.parse(full.out);
    expect(error.code).toBe('cell_not_empty');
    expect(error.message).toContain(shop.id);
    await till('accounts', 'move', shop.id, '--to', 'home');
    expect(await till('cells', 'remove', 'west')).toEqual({ name: 'west', removed: true });
    expect(await refused('cells', 'remove', 'west')).toBe('cell_not_found');
    expect(await refused('cells', 'remove', 'home')).toBe('home_stays');
    await until('the server has let go of its database', async () => {
      const open = await queryDatabase(
        west,
        `select 1 from pg_stat_activity where datname = current_database() and application_name like 'till serve%'`,
      );
      return open.length === 0;
    });
    expect((await shop.pay()).status).toBe(201);
    await till('cells', 'add', 'west', '--url', west);
    await till('cells', 'drain', 'west');
    // The entry of a command that ended before it had opened the account in the cell.
    await queryDatabase(
      urls.home,
      `insert into account_cells (account_id, cell, test_tenant, live_tenant, name, processor, environment, activation, time_zone, revision)
       values ('acct_unfinished', 'west', 90001, 90002, '', 'processor_b', 'sandbox', 'active', 'UTC', 0)`,
    );
    await till('cells', 'remove', 'west');
  });
});

describe('the dashboard', () => {
  it('shows an account of another cell, its people, and what they did', async () => {
    const paid = await inEast.pay();
    const owner = await Browser.of(inEast, 'owner', server);
    const session = await owner.get('/session');
    expect(session.body.accounts).toEqual([expect.objectContaining({ id: inEast.id, name: 'Test shop' })]);
    const payments = await owner.get(`/accounts/${inEast.id}/payments`);
    expect(payments.text).toContain(paid.body.id);
    const refund = await owner.post(
      `/accounts/${inEast.id}/payments/${paid.body.id}/refunds`,
      { amount: 100, reason: 'requested_by_customer' },
      { idempotencyKey: 'cell-refund' },
    );
    expect(refund.status).toBe(201);
    const invited = await owner.post(`/accounts/${inEast.id}/team/invitations`, {
      email: 'ada@example.com',
      role: 'viewer',
    });
    expect(invited.status).toBe(201);
    // The entry is written at home with the invitation, and read in the cell of the account.
    await until('the entry is in the log', async () => {
      const { body } = await owner.get(`/accounts/${inEast.id}/audit_log`);
      return body.data.some(({ action }: { action: string }) => action === 'member.invited');
    });
    await until('the mail is in the outbox', async () => (await idsIn(urls.east, 'mails')).length > 0);
    expect(await idsIn(urls.home, `audit_log where account_id = '${inEast.id}'`)).toEqual([]);
  });

  it('shows nobody an account that they are no member of', async () => {
    const stranger = await Browser.of(atHome, 'owner', server);
    expect((await stranger.get(`/accounts/${inEast.id}/payments`)).status).toBe(404);
  });
});

describe('the metrics', () => {
  it('carry the cell', async () => {
    const text = await (await fetch(`http://${metrics}/metrics`)).text();
    expect(text).toMatch(/till_payments_total\{[^}]*cell="east"[^}]*\} [1-9]/);
    expect(text).toMatch(/till_payments_total\{[^}]*cell="home"[^}]*\} [1-9]/);
  });
});

describe.each(['shut', 'silent'] as const)('a cell whose database is %s', (state) => {
  it('takes down its own accounts alone, and comes back by itself', async () => {
    gate.set(state);
    const inTrouble = Promise.all(Array.from({ length: 60 }, () => inEast.pay()));
    const paid = await Promise.all(Array.from({ length: 20 }, () => atHome.pay()));
    expect(paid.map(({ status }) => status)).toEqual(paid.map(() => 201));
    const answers = await inTrouble;
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    expect(answers.filter(({ headers }) => headers.get('retry-after') === null)).toEqual([]);
    gate.set('open');
    await until('the cell is back', async () => (await inEast.pay()).status === 201);
  });
});

describe('a server that starts', () => {
  it('serves the others where a cell is away, and that one once it is back', async () => {
    await server.stop();
    gate.set('shut');
    server = await startServer(settings);
    const [home, east] = [atHome.at(server), inEast.at(server)];
    expect((await home.pay()).status).toBe(201);
    expect(await east.pay()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
    gate.set('open');
    await until('the cell is served', async () => (await east.pay()).status === 201);
  });
});
