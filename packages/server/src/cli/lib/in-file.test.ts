import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireReadable } from './in-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'till-in-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file that a command is to read', () => {
  it('is named where it is not there, or is a folder', async () => {
    const missing = join(folder, 'missing');
    await expect(requireReadable(missing)).rejects.toMatchObject({
      code: 'no_file',
      message: `There is no file ${missing}.`,
    });
    await expect(requireReadable(folder)).rejects.toMatchObject({
      code: 'file_not_read',
      message: `${folder} is a folder, not a file.`,
    });
  });

  it.skipIf(process.getuid?.() === 0)('is named where it may not be read', async () => {
    const path = join(folder, 'secret');
    await writeFile(path, '');
    await chmod(path, 0o000);
    await expect(requireReadable(path)).rejects.toMatchObject({ code: 'file_not_read' });
  });

  it('may be any other one', async () => {
    const path = join(folder, 'report');
    await writeFile(path, '');
    await requireReadable(path);
  });
});
