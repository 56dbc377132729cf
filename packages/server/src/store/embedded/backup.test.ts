import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { hasCluster, placeCluster } from './backup.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { preparePlace } from './files/place.ts';
import { disposeAll, newDataDir } from './fixtures.ts';

afterAll(disposeAll);

/** A process that has ended. */
const ended = () => spawnSync(process.execPath, ['--version']).pid;

let backup: string;
beforeEach(async () => {
  backup = await newDataDir();
  await mkdir(join(backup, 'postgres'), { recursive: true });
  await writeFile(join(backup, 'postgres', 'backup_label'), '');
  await writeFile(join(backup, 'postgres-password'), 'ours\n');
});

/** A data folder as a restore leaves it that is killed while it copies. */
async function killedRestore(by: number): Promise<string> {
  const dataDir = await newDataDir();
  const { cluster } = await preparePlace(dataDir, { password: 'ours', by });
  await mkdir(`${cluster}.new-restore`);
  return dataDir;
}

describe('a restore that was killed while it copied', () => {
  it('is no database, and no server makes an empty one in its place', async () => {
    const dataDir = await killedRestore(ended());
    expect(await hasCluster(dataDir)).toBe(false);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('call till restore again');
    expect(await readdir(dataDir)).not.toContain('postgres');
  });

  it('can be repeated, also with another backup', async () => {
    const dataDir = await killedRestore(ended());
    await writeFile(join(backup, 'postgres-password'), 'of another backup\n');
    await placeCluster(backup, dataDir);
    expect(await hasCluster(dataDir)).toBe(true);
    await expect(placeCluster(backup, dataDir)).rejects.toThrow('holds a database already');
  });
});

it('a restore leaves alone what another one is copying', async () => {
  const dataDir = await killedRestore(process.ppid);
  expect(await hasCluster(dataDir)).toBe(true);
  await expect(placeCluster(backup, dataDir)).rejects.toThrow('holds a database already');
});
