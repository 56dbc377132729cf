import { spawnSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { hasCluster, makeVerificationFolder, placeCluster, removeCopy, reserveForRestore } from './backup.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { preparePlace } from './files/place.ts';
import { disposeAll, newDataDir, temporary } from './fixtures.ts';
import { processMarkOf } from './processes/processes.ts';

afterAll(disposeAll);

/** The pid of a process that has ended. */
const ended = () => spawnSync(process.execPath, ['--version']).pid;

let backup: string;
beforeEach(async () => {
  backup = await newDataDir();
  await mkdir(join(backup, 'postgres'), { recursive: true });
  await writeFile(join(backup, 'postgres', 'backup_label'), '');
  await writeFile(join(backup, 'postgres-password'), 'ours\n');
});

/** A data folder in the state that a restore leaves if it is killed while copying. */
async function killedRestore(by: string): Promise<string> {
  const dataDir = await newDataDir();
  const { cluster } = await preparePlace(dataDir, { password: 'ours', by });
  await mkdir(`${cluster}.new-restore`);
  return dataDir;
}

describe('a restore that was killed while it copied', () => {
  it('is no database, and no server makes an empty one in its place', async () => {
    const dataDir = await killedRestore(String(ended()));
    expect(await hasCluster(dataDir)).toBe(false);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('call till restore again');
    expect(await readdir(dataDir)).not.toContain('postgres');
  });

  it('can be repeated, also with another backup', async () => {
    const dataDir = await killedRestore(String(ended()));
    await writeFile(join(backup, 'postgres-password'), 'of another backup\n');
    await placeCluster(backup, dataDir);
    expect(await hasCluster(dataDir)).toBe(true);
    await expect(placeCluster(backup, dataDir)).rejects.toThrow('holds a database already');
  });
});

it('a killed restore can be repeated although another process has the number of its own now', async () => {
  const dataDir = await killedRestore(`${process.ppid}.1`);
  await placeCluster(backup, dataDir);
  expect(await hasCluster(dataDir)).toBe(true);
});

it('a restore leaves alone what another one is copying', async () => {
  const dataDir = await killedRestore(processMarkOf(process.ppid));
  expect(await hasCluster(dataDir)).toBe(true);
  await expect(placeCluster(backup, dataDir)).rejects.toThrow('holds a database already');
});

describe('the folder that a copy is checked in', () => {
  it('removes what a dead process left of its own, with the server that still runs there', async () => {
    const parent = await temporary();
    const left = join(parent, `till-verify-${ended()}-abc`);
    const postgres = await startEmbeddedPostgres({ dataDir: left });
    const fresh = await makeVerificationFolder(parent);
    expect(await readdir(parent)).toEqual([basename(fresh)]);
    await postgres.stop();
    await removeCopy(fresh);
  });

  it('removes what was left by an earlier process of a number that another one has now, and by nobody', async () => {
    const parent = await temporary();
    await mkdir(join(parent, `till-verify-${process.ppid}.1-abc`));
    await mkdir(join(parent, 'till-verify-x1Y2z3'));
    await writeFile(join(parent, 'till-verify-x1Y2z3', 'postgres.json'), '{"id": "1", "password": "ours"}');
    const fresh = await makeVerificationFolder(parent);
    expect(await readdir(parent)).toEqual([basename(fresh)]);
  });

  it('leaves alone one of a process that is running, and what is no folder of ours', async () => {
    const parent = await temporary();
    const others = [
      `till-verify-${process.ppid}-abc`,
      `till-verify-${processMarkOf(process.ppid)}-abc`,
      'till-verify-notes',
      'till-verify-folder',
    ];
    for (const name of others) await mkdir(join(parent, name));
    const link = `till-verify-${ended()}-link`;
    await symlink(parent, join(parent, link));
    const fresh = await makeVerificationFolder(parent);
    expect((await readdir(parent)).sort()).toEqual([...others, link, basename(fresh)].sort());
  });
});

it('a restore that was killed during its check lets no server make an empty database in its place', async () => {
  const dataDir = await newDataDir();
  await reserveForRestore(backup, dataDir);
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('call till restore again');
});
