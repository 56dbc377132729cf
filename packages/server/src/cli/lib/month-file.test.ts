import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csvLine } from '../../dashboard/exports/csv.ts';
import { writeCsv } from './month-file.ts';

async function* pieces() {
  yield csvLine(['id', 'reference']) + csvLine(['pay_1', 'Order 7\r\nsecond "line"\r\n']);
  yield csvLine(['pay_2', 'Order 8']);
}

it('counts the lines of a file, and not the line ends within its cells', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'month-file-'));
  const path = join(folder, 'ledger.csv');
  expect(await writeCsv({ name: 'ledger.csv', content: pieces() }, path)).toEqual({ file: path, lines: 2 });
  expect(await readFile(path, 'utf8')).toContain('"Order 7\r\nsecond ""line""\r\n"');
  await rm(folder, { recursive: true });
});
