import { type FileHandle, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findMasterKey, loadMasterKey } from './master-key.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'till-key-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Does the work. @returns by inode, the entries of each folder that was flushed to disk meanwhile, as of the last flush */
async function flushedFolders(work: () => Promise<unknown>): Promise<Map<number, string[]>> {
  const flushed = new Map<number, string[]>();
  const handle = await open(folder);
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
  await handle.close();
  sync.mockImplementation(async function (this: FileHandle) {
    const stats = await this.stat();
    if (stats.isDirectory()) flushed.set(stats.ino, await readdir(`/proc/self/fd/${this.fd}`));
  });
  try {
    await work();
    return flushed;
  } finally {
    sync.mockRestore();
  }
}

describe('the master key', () => {
  it('is the configured one, and no file is created', async () => {
    const key = Buffer.alloc(32, 7);
    expect(await loadMasterKey(key, folder)).toBe(key);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is generated once, in a file readable by this user only, also in a missing folder', async () => {
    const dataDir = join(folder, 'deep', 'data');
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey(null, dataDir)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(await readdir(dataDir)).toEqual(['master.key']);
    expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await loadMasterKey(null, dataDir)).toEqual(keys[0]);
  });

  it.runIf(process.platform === 'linux')(
    'is flushed to disk with its folders, so that a power failure cannot take it from sealed secrets',
    async () => {
      const dataDir = join(folder, 'deep', 'data');
      const flushed = await flushedFolders(() => loadMasterKey(null, dataDir));
      const entriesOf = async (path: string) => flushed.get((await stat(path)).ino);
      expect(await entriesOf(folder)).toEqual(['deep']);
      expect(await entriesOf(join(folder, 'deep'))).toEqual(['data']);
      expect(await entriesOf(dataDir)).toEqual(['master.key']);
    },
  );

  it('is read without generating one', async () => {
    expect(await findMasterKey(null, folder)).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
    const made = await loadMasterKey(null, folder);
    expect(await findMasterKey(null, folder)).toEqual(made);
  });

  it('a damaged file is refused and left as it is', async () => {
    const path = join(folder, 'master.key');
    await writeFile(path, 'c2hvcnQ=');
    await expect(loadMasterKey(null, folder)).rejects.toThrow('restore it from your backup');
    expect(await readFile(path, 'utf8')).toBe('c2hvcnQ=');
  });
});
