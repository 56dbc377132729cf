import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { csvLine } from '../../dashboard/exports/csv.ts';
import { writeCsv } from './month-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'month-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function* pieces() {
  yield csvLine(['id', 'reference']) + csvLine(['pay_1', 'Order 7\r\nsecond "line"\r\n']);
  yield csvLine(['pay_2', 'Order 8']);
}

it('counts the lines of a file, and not the line ends within its cells', async () => {
  const path = join(folder, 'ledger.csv');
  expect(await writeCsv({ name: 'ledger.csv', content: pieces() }, path)).toEqual({ file: path, lines: 2 });
  expect(await readFile(path, 'utf8')).toContain('"Order 7\r\nsecond ""line""\r\n"');
});

it('leaves a file as it was where its new content cannot be read to its end', async () => {
  const path = join(folder, 'kept.csv');
  await writeFile(path, 'of last month');
  async function* broken() {
    yield* pieces();
    throw new Error('corrected meanwhile');
  }
  await expect(writeCsv({ name: 'kept.csv', content: broken() }, path)).rejects.toThrow(
    'corrected meanwhile',
  );
  expect(await readFile(path, 'utf8')).toBe('of last month');
});

it('does not hold the file in memory', async () => {
  const path = join(folder, 'large.csv');
  const script = `
    const { writeCsv } = await import(${JSON.stringify(new URL('./month-file.ts', import.meta.url).href)});
    async function* content() {
      for (let count = 0; count < 200; count += 1) yield (String(count).padEnd(1 << 10, 'x') + '\\r\\n').repeat(1 << 10);
    }
    await writeCsv({ name: 'large.csv', content: content() }, ${JSON.stringify(path)});`;
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const words = ['--max-old-space-size=64', '--import', tsx, '--input-type=module', '--eval', script];
  await promisify(execFile)(process.execPath, words);
  expect((await stat(path)).size).toBe(200 * 1026 * 1024);
});
