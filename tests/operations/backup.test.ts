import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { freshEmail, Merchant } from '../support/merchant.ts';
import {
  cleanEnvironment,
  commandJson,
  type RunningServer,
  runCommand,
  startProcess,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const till = fileURLToPath(new URL('../../till', import.meta.url));
const cleanUp = new CleanUp();
let dataDir: string;
let backup: string;
let elsewhere: string;
let server: RunningServer;
let shop: Merchant;
/** The ids of payments charged before the copy began. */
const before: string[] = [];

const newFolder = async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  return folder.path;
};

beforeAll(async () => {
  dataDir = await newFolder();
  backup = join(await newFolder(), 'backup');
  elsewhere = await newFolder();
  server = await startServer({ TILL_DATA_DIR: dataDir, TILL_RATE_LIMIT_RPS: '0' });
  cleanUp.add(() => server.stop());
  shop = await Merchant.openAt(server, 'processor_b');
  for (let count = 0; count < 5; count += 1) before.push((await shop.pay()).body.id);
  await shop.pay({ customer: { email: freshEmail() }, save_payment_method: true });
});
afterAll(cleanUp.run);

const refusal = async (environment: Record<string, string>, ...parameters: string[]) => {
  const result = await runCommand(environment, [...parameters, '--json']);
  expect(result.exitCode).toBe(1);
  return (JSON.parse(result.out) as { error: { code: string } }).error.code;
};

describe('a backup', () => {
  it('is taken while payments go on', async () => {
    let copying = true;
    const paying = (async () => {
      const made: string[] = [];
      while (copying) made.push((await shop.pay()).body.id);
      return made;
    })();
    const done = await commandJson<{ rows: { payments: number } }>({ TILL_DATA_DIR: dataDir }, [
      'backup',
      backup,
    ]);
    copying = false;
    const during = await paying;
    expect(during.length).toBeGreaterThan(0);
    expect(done.rows.payments).toBeGreaterThanOrEqual(before.length + 1);
    // The master key that decrypts its secrets is not in it.
    const manifest = await readFile(join(backup, 'till-backup.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ format: 1, rows_after: { payments: done.rows.payments } });
  });

  it('is refused in a folder that is not empty', async () => {
    expect(await refusal({ TILL_DATA_DIR: dataDir }, 'backup', backup)).toBe('folder_not_empty');
  });

  it('that fails, as on a full disk, leaves its folder empty, and one that was killed is named', async () => {
    const target = await newFolder();
    // The shell's limit prevents files of more than a megabyte.
    const limited = promisify(execFile)('sh', ['-c', `ulimit -f 2048; exec '${till}' backup '${target}'`], {
      env: { ...cleanEnvironment(), TILL_DATA_DIR: dataDir },
    });
    await expect(limited).rejects.toMatchObject({ code: 1 });
    expect(await readdir(target)).toEqual([]);
    await mkdir(join(target, 'postgres'));
    const again = await runCommand({ TILL_DATA_DIR: dataDir }, ['backup', target]);
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining('broken off') });
  });

  it('is verified without touching anything, also beside the running server', async () => {
    const checked = await commandJson<{ secrets_opened: number; rows: { payments: number } }>(
      { TILL_DATA_DIR: dataDir },
      ['restore', backup, '--verify'],
    );
    expect(checked.secrets_opened).toBeGreaterThan(0);
    expect(checked.rows.payments).toBeGreaterThanOrEqual(before.length + 1);
    expect((await shop.pay()).status).toBe(201);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'whose check is interrupted by %s leaves nothing of the copy',
    async (signal) => {
      const temporary = await newFolder();
      const settings = { TILL_DATA_DIR: dataDir, TMPDIR: temporary };
      const { process: checking, ended } = startProcess(settings, ['restore', backup, '--verify', '--json']);
      await until('the copy begins', async () => (await readdir(temporary)).length > 0);
      checking.kill(signal);
      const { exitCode, out } = await ended;
      expect({ exitCode, ...JSON.parse(out) }).toMatchObject({ exitCode: 1, error: { code: 'interrupted' } });
      expect(await readdir(temporary)).toEqual([]);
    },
  );

  it('is not restored over a database', async () => {
    expect(await refusal({ TILL_DATA_DIR: dataDir }, 'restore', backup)).toBe('database_exists');
  });

  it('is not restored without the master key, nor with another one', async () => {
    const empty = await newFolder();
    expect(await refusal({ TILL_DATA_DIR: empty }, 'restore', backup)).toBe('no_master_key');
    const wrong = { TILL_DATA_DIR: empty, TILL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    expect(await refusal(wrong, 'restore', backup, '--verify')).toBe('wrong_master_key');
  });

  it('that fails its check leaves the folder as it was, so that the right key restores it', async () => {
    const wrong = { TILL_DATA_DIR: elsewhere, TILL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await refusal(wrong, 'restore', backup)).toBe('wrong_master_key');
    }
    expect(await readdir(elsewhere)).not.toContain('postgres');
  });

  it('whose copy fails, as on a full disk, leaves the folder as it was', async () => {
    const empty = await newFolder();
    await copyFile(join(dataDir, 'master.key'), join(empty, 'master.key'));
    // The shell's limit prevents files of more than a megabyte.
    const limited = promisify(execFile)('sh', ['-c', `ulimit -f 2048; exec '${till}' restore '${backup}'`], {
      env: { ...cleanEnvironment(), TILL_DATA_DIR: empty },
    });
    await expect(limited).rejects.toMatchObject({ code: 1 });
    expect(await readdir(empty)).toEqual(['master.key']);
  });

  it('serves all data elsewhere, and saved methods can be charged', async () => {
    await copyFile(join(dataDir, 'master.key'), join(elsewhere, 'master.key'));
    await commandJson({ TILL_DATA_DIR: elsewhere }, ['restore', backup]);
    // Reconciled before a server runs on it.
    expect(await commandJson({ TILL_DATA_DIR: elsewhere }, ['reconcile'])).toMatchObject({ differences: [] });
    const restored = await startServer({ TILL_DATA_DIR: elsewhere });
    cleanUp.add(() => restored.stop());
    const there = shop.at(restored);
    for (const id of before)
      expect((await there.get(`/api/v1/payments/${id}`)).body.status).toBe('succeeded');
    const customers = await there.get('/api/v1/customers');
    const charged = await there.pay({
      payment_method: undefined,
      customer: customers.body.data[0].id,
      use_last_payment_method: true,
      merchant_initiated: true,
    });
    expect(charged.body.status).toBe('succeeded');
    expect(await commandJson({ TILL_DATA_DIR: elsewhere }, ['reconcile'])).toMatchObject({ differences: [] });
  });

  it('with missing rows or files is refused', async () => {
    const damaged = await newFolder();
    expect(await refusal({ TILL_DATA_DIR: dataDir }, 'restore', damaged, '--verify')).toBe('no_backup');
    await writeFile(join(damaged, 'till-backup.json'), '{"format":');
    expect(await refusal({ TILL_DATA_DIR: dataDir }, 'restore', damaged, '--verify')).toBe('backup_not_read');
    const path = join(backup, 'till-backup.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as {
      rows_before: Record<string, number>;
      rows_after: Record<string, number>;
    };
    // Simulates an account that moved to another cell during the copy.
    manifest.rows_before.customers = (manifest.rows_after.customers ?? 0) + 100;
    await writeFile(path, JSON.stringify(manifest));
    await commandJson({ TILL_DATA_DIR: dataDir }, ['restore', backup, '--verify']);
    for (const rows of [manifest.rows_before, manifest.rows_after]) rows.payments = 1_000_000;
    await writeFile(path, JSON.stringify(manifest));
    expect(await refusal({ TILL_DATA_DIR: dataDir }, 'restore', backup, '--verify')).toBe('backup_damaged');
    await rm(join(backup, 'postgres', 'backup_label'));
    const result = await runCommand({ TILL_DATA_DIR: dataDir }, ['restore', backup, '--verify', '--json']);
    expect(result.out).toContain('no complete backup');
  });
});
