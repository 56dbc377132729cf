import { execFile } from 'node:child_process';
import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { freshEmail, Merchant, target, till, tillProcess, tillRaw } from '../../support/merchant.ts';
import { temporaryFolder } from '../../support/server.ts';

const commandLine = fileURLToPath(new URL('../../../till', import.meta.url));
const unknownAccount = 'acct_000000000000000000000000';
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const withAccount = (...parameters: string[]) => till(...parameters, '--account', shop.id);

const option = (name: string, value: string) => [`--${name}`, value];

/** Expects that a command fails, with and without `--json`: with exit code 1 and the error as one JSON object. */
async function expectFailure(...parameters: string[]): Promise<{ code: string; message: string }> {
  const [forPrograms, forPeople] = await Promise.all([
    tillRaw(...parameters, '--json'),
    tillRaw(...parameters),
  ]);
  expect({ exitCode: forPrograms.exitCode, lines: forPrograms.out.trim().split('\n').length }).toEqual({
    exitCode: 1,
    lines: 1,
  });
  const printed = JSON.parse(forPrograms.out) as { error: { code: string; message: string } };
  expect(printed).toEqual({
    error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\S/) },
  });
  expect([forPeople.exitCode, forPeople.out]).toEqual([1, '']);
  expect(forPeople.err).toMatch(/\S/);
  expect(forPeople.err).not.toMatch(/^\s+at /m);
  return printed.error;
}

describe('till accounts', () => {
  it.each([
    ['processor_a', 'sandbox', 'sk_test_'],
    ['processor_b', 'sandbox', 'sk_test_'],
    ['processor_a', 'live', 'sk_live_'],
  ])('create opens an account on %s in %s', async (processor, environment, prefix) => {
    const name = 'Søren’s "Shop"';
    const account = await till(
      'accounts',
      'create',
      ...option('name', name),
      ...option('processor', processor),
      ...option('environment', environment),
    );
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_[a-z0-9]{24}$/),
      name,
      processor,
      environment,
      secret_key: expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{32}$`)),
    });
  });

  it('create is in the sandbox where nothing is said', async () => {
    const account = await till('accounts', 'create', '--name', 'Plain', '--processor', 'processor_a');
    expect(account.environment).toBe('sandbox');
  });

  it('update changes each setting and shows the account', async () => {
    const account = await Merchant.open();
    const updated = await till(
      'accounts',
      'update',
      account.id,
      ...option('environment', 'live'),
      ...option('activation', 'restricted'),
      ...option('three-d-secure', 'always'),
      ...option('connection', 'disconnected'),
      ...option('store-payment-method-default', 'false'),
    );
    expect(updated).toMatchObject({ id: account.id, environment: 'live', activation: 'restricted' });
    expect(updated).toEqual(await till('accounts', 'get', account.id));
    expect(JSON.stringify(updated)).not.toMatch(/sk_(test|live)_/);
  });

  it('chooses whose card fields take live cards, says what that means, and takes it back', async () => {
    const other = await Merchant.open('processor_b');
    const { id } = other;
    const choose = (whose: string) => till('accounts', 'update', id, '--card-fields', whose);
    expect(await choose('processor')).toMatchObject({
      card_fields: 'processor',
      pci_dss: expect.stringContaining('SAQ A'),
    });
    expect(await choose('first_party')).toMatchObject({ pci_dss: expect.stringContaining('SAQ D') });
    const owner = await Browser.of(other, 'owner');
    const chosen = async () => (await owner.get(`/accounts/${id}/settings`)).body.connection.card_fields;
    expect(await chosen()).toEqual({ chosen: 'first_party', default: 'first_party' });
    await till('accounts', 'update', id, '--three-d-secure', 'always');
    expect((await chosen()).chosen).toBe('first_party');
    expect(await choose('default')).toMatchObject({ card_fields: 'default' });
    expect((await chosen()).chosen).toBe('default');
  });

  it('refuses what is not known', async () => {
    await expectFailure('accounts', 'create', '--name', 'x');
    await expectFailure('accounts', 'create', '--name', 'x', '--processor', 'processor_c');
    await expectFailure('accounts', 'create', '--processor', 'processor_a');
    await expectFailure('accounts', 'create', '--name', '', '--processor', 'processor_a');
    await expectFailure('accounts', 'update', unknownAccount, '--environment', 'live');
    await expectFailure('accounts', 'update', shop.id, '--activation', 'happy');
    await expectFailure('accounts', 'update', shop.id, '--store-payment-method-default', 'maybe');
  });
});

describe('till keys', () => {
  it('create prints id and secret, list never the secret', async () => {
    const key = await withAccount('keys', 'create');
    expect(key).toEqual({
      id: expect.stringMatching(/^\S+$/),
      secret_key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{32}$/),
    });
    const listed = await tillRaw('keys', 'list', '--account', shop.id, '--json');
    expect(listed.out).toContain(String(key.id));
    expect(listed.out).not.toContain(String(key.secret_key));
    expect(listed.out).toContain(String(key.secret_key).slice(-4));
    const parsed = JSON.parse(listed.out) as unknown;
    expect(typeof parsed === 'object' && !Array.isArray(parsed)).toBe(true);
  });

  it('revoke may be repeated', async () => {
    const { id: first } = await withAccount('keys', 'create');
    const { id, old_key_ends: ends } = await till('keys', 'roll', String(first), '--expires-in', '60');
    expect(Date.parse(String(ends))).toBeGreaterThan(Date.now());
    await till('keys', 'revoke', String(id));
    expect((await tillRaw('keys', 'revoke', String(id), '--json')).exitCode).toBe(0);
  });

  it('refuses what is not known', async () => {
    await expectFailure('keys', 'create', '--account', unknownAccount);
    await expectFailure('keys', 'list', '--account', unknownAccount);
    await expectFailure('keys', 'revoke', 'key_000000000000000000000000');
    await expectFailure('keys', 'create');
  });
});

describe('till clock advance', () => {
  it('prints the new time, which only moves forward', async () => {
    const account = await Merchant.open();
    const advance = (seconds: string) =>
      till<{ now: string }>('clock', 'advance', '--account', account.id, '--seconds', seconds);
    const first = await advance('1');
    expect(first).toEqual({ now: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) });
    const second = await advance('100000');
    expect(Date.parse(second.now) - Date.parse(first.now)).toBeGreaterThanOrEqual(100_000_000);
    // The clock of the command may be up to a second ahead of the server's.
    expect((await account.pay()).body.created).toBeGreaterThanOrEqual(Date.parse(second.now) / 1000 - 1);
  });

  it.each(['-1', '0', '1.5', 'soon', '', '99999999999999'])('refuses %s seconds', async (seconds) => {
    await expectFailure('clock', 'advance', '--account', shop.id, `--seconds=${seconds}`);
  });

  it('refuses an unknown account', async () => {
    await expectFailure('clock', 'advance', '--account', unknownAccount, '--seconds', '1');
  });
});

describe('till sandbox ledger', () => {
  it('prints charges and refunds, in human form too', async () => {
    const account = await Merchant.open();
    expect(await account.ledger()).toEqual({ charges: [], refunds: [] });
    const payment = (await account.pay({ amount: 321, currency: 'USD' })).body.id;
    expect(await account.ledger()).toEqual({
      charges: [{ reference: payment, amount: 321, currency: 'USD', status: 'captured' }],
      refunds: [],
    });
    const human = await tillRaw('sandbox', 'ledger', '--account', account.id);
    expect(human.exitCode).toBe(0);
    expect(human.out).toContain(payment);
  });

  it('refuses an unknown account', async () => {
    await expectFailure('sandbox', 'ledger', '--account', unknownAccount);
  });
});

describe('till db url', () => {
  it('prints the address of the database in use', async () => {
    const { url, ...rest } = await till<{ url: string }>('db', 'url');
    expect(rest).toEqual({});
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select name from accounts where account_id = $1', [shop.id]);
    await client.end();
    expect(rows).toEqual([{ name: 'Test shop' }]);
    expect((await tillRaw('db', 'url')).out.trim()).toBe(url);
  });
});

describe('till users create', () => {
  it('creates a user and does not print the password', async () => {
    const email = freshEmail();
    const parameters = [
      'users',
      'create',
      '--account',
      shop.id,
      '--password',
      'correct horse battery',
      '--email',
    ];
    const result = await tillProcess(...parameters, email, '--role', 'viewer', '--json');
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.out)).toMatchObject({ email });
    expect(result.out).not.toContain('correct horse');
  });

  it('refuses an unknown role or account, a short password, an e-mail address that is none', async () => {
    const parameters = (email: string, password: string) => ['--email', email, '--password', password];
    const good = parameters(freshEmail(), 'correct horse');
    await expectFailure('users', 'create', '--account', shop.id, ...good, '--role', 'king');
    await expectFailure('users', 'create', '--account', unknownAccount, ...good);
    await expectFailure('users', 'create', '--account', shop.id, ...parameters(freshEmail(), 'short'));
    await expectFailure('users', 'create', '--account', shop.id, ...parameters('nobody', 'correct horse'));
  });
});

describe('till', () => {
  it('prints for people without --json', async () => {
    const result = await tillProcess('accounts', 'get', shop.id);
    expect(result.exitCode).toBe(0);
    expect(result.out).toContain(shop.id);
    expect(() => JSON.parse(result.out) as unknown).toThrow();
  });

  it('runs as ./till, also by its whole path from another folder and by a link', async () => {
    const { path, remove } = await temporaryFolder();
    try {
      await symlink(commandLine, join(path, 'pay'));
      for (const command of [commandLine, './pay']) {
        const { stdout } = await promisify(execFile)(command, ['accounts', 'get', shop.id, '--json'], {
          cwd: path,
          env: { PATH: process.env.PATH, ...target().environment },
        });
        expect(JSON.parse(stdout)).toMatchObject({ id: shop.id });
      }
    } finally {
      await remove();
    }
  });

  it('says as ./till what to run where nothing is built', async () => {
    const { path, remove } = await temporaryFolder();
    try {
      await copyFile(commandLine, join(path, 'till'));
      const failed = promisify(execFile)('./till', ['doctor'], { cwd: path });
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('npm ci && npm run build'),
      });
    } finally {
      await remove();
    }
  });

  it('runs as npx till from the root of the repository', async () => {
    const own = /^(TILL_|HOST$|PORT$|BASE_URL$|DATABASE_URL$|VITEST|NODE_)/;
    const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
    const run = promisify(execFile)('npx', ['--no-install', 'till', 'accounts', 'get', shop.id, '--json'], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: { ...Object.fromEntries(inherited), ...target().environment },
    });
    const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
    expect(JSON.parse(stdout)).toMatchObject({ id: shop.id });
  });

  it('takes --json before the command too', async () => {
    const result = await tillRaw('--json', 'accounts', 'get', shop.id);
    expect(JSON.parse(result.out)).toMatchObject({ id: shop.id });
  });

  it('shows help with exit code 0, and refuses an unknown command', async () => {
    for (const parameters of [['--help'], ['accounts', '--help'], ['clock', 'advance', '--help']]) {
      const result = await tillProcess(...parameters);
      expect(result.exitCode).toBe(0);
      expect(result.out).toMatch(/Usage: till/);
    }
    expect((await tillProcess('--version')).out).toMatch(/^\d+\.\d+\.\d+/);
    await expectFailure('dance');
    const refused = await tillProcess('dance');
    expect([refused.exitCode, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain("unknown command 'dance'");
    await expectFailure('accounts', 'dance');
    await expectFailure('accounts', 'create', '--name', 'x', '--processor', 'processor_a', '--colour', 'red');
  });
});
