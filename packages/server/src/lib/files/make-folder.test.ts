import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'till-make-folder-'));
});
afterEach(() => rm(parent, { recursive: true }));

describe('a folder', () => {
  it('is made with those above it, with the mode that is asked for', async () => {
    await makeFolder(join(parent, 'a', 'b', 'c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) {
      expect((await stat(join(parent, path))).mode & 0o777).toBe(0o700);
    }
  });

  it('may be there already, also when several make it at once', async () => {
    for (let round = 0; round < 100; round += 1) {
      const path = join(parent, `${round}`, 'b');
      await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
      await makeFolder(path);
      expect((await stat(path)).isDirectory()).toBe(true);
    }
  });

  it('cannot be where a file is, or below one', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await expect(makeFolder(file)).rejects.toThrow('EEXIST');
    await expect(makeFolder(join(file, 'a'))).rejects.toThrow('ENOTDIR');
  });

  it.runIf(process.platform === 'linux')('is refused at once by a file system that makes none', async () => {
    await expect(makeFolder('/proc/till/a')).rejects.toThrow('ENOENT');
  });
});
