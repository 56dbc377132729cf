import { lstat, mkdir, readdir, readFile, realpath, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { putInPlace } from '../../tools/put-in-place.mjs';
import { CleanUp } from './clean-up.ts';
import { temporaryFolder } from './server.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const hourMs = 60 * 60 * 1000;

async function freshPlace(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  cleanUp.add(remove);
  return join(path, 'dist', 'bundle');
}

/** A build of two files that belong together. */
const write = (text: string) => async (folder: string) => {
  await writeFile(join(folder, 'main.js'), text);
  await writeFile(join(folder, 'chunk.js'), text);
};

describe('a build', () => {
  it('is found at its place, also where a folder of a former build stood there', async () => {
    const place = await freshPlace();
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'main.js'), 'before');
    await putInPlace(place, write('one'));
    expect(await readFile(join(place, 'main.js'), 'utf8')).toBe('one');
    expect((await lstat(place)).isSymbolicLink()).toBe(true);
  });

  it('leaves a running process its files, and replaces the old build atomically', async () => {
    const place = await freshPlace();
    await putInPlace(place, write('one'));
    const running = await realpath(place);
    await putInPlace(place, async (folder) => {
      await write('two')(folder);
      // Readers see no change until everything is written.
      expect(await readFile(join(place, 'main.js'), 'utf8')).toBe('one');
    });
    expect(await readFile(join(place, 'main.js'), 'utf8')).toBe('two');
    expect(await readFile(join(running, 'chunk.js'), 'utf8')).toBe('one');
  });

  it('that fails changes nothing and leaves nothing behind', async () => {
    const place = await freshPlace();
    await putInPlace(place, write('one'));
    const failing = putInPlace(place, async (folder) => {
      await write('two')(folder);
      throw new Error('no memory');
    });
    await expect(failing).rejects.toThrow('no memory');
    expect(await readFile(join(place, 'main.js'), 'utf8')).toBe('one');
    expect(await readdir(join(place, '..'))).toHaveLength(2);
  });

  it('of the same content changes nothing; two concurrent ones succeed', async () => {
    const place = await freshPlace();
    await Promise.all([putInPlace(place, write('one')), putInPlace(place, write('one'))]);
    const before = await realpath(place);
    await putInPlace(place, write('one'));
    expect(await realpath(place)).toBe(before);
    expect(await readdir(join(place, '..'))).toHaveLength(2);
  });

  it('touches no other folder with a similar name', async () => {
    const place = await freshPlace();
    await putInPlace(place, write('one'));
    const neighbour = `${place}-map.js`;
    await writeFile(neighbour, 'ours');
    const written = new Date(Date.now() - 2 * hourMs);
    await utimes(neighbour, written, written);
    await putInPlace(place, write('two'));
    expect(await readFile(neighbour, 'utf8')).toBe('ours');
  });

  it('removes the builds before the last one after an hour', async () => {
    const place = await freshPlace();
    const began = Date.now();
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await putInPlace(place, write(text), began);
      const written = new Date(began - (4 - index) * hourMs);
      await utimes(await realpath(place), written, written);
    }
    const [first, second, third] = await Promise.all(
      ['one', 'two', 'three'].map(async (text) => {
        for (const name of await readdir(join(place, '..'))) {
          const found = await readFile(join(place, '..', name, 'main.js'), 'utf8').catch(() => '');
          if (found === text && name !== 'bundle') return name;
        }
        return undefined;
      }),
    );
    expect([first, second !== undefined, third !== undefined]).toEqual([undefined, true, true]);
  });
});
