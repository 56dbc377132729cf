import { describe, expect, it } from 'vitest';
import { CsvFault, csvRecords } from './csv-records.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The records of a file that arrives in chunks of `size` bytes. */
async function read(content: string | Uint8Array, size = 3) {
  const all = typeof content === 'string' ? bytes(content) : content;
  async function* pieces() {
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }
  const records = [];
  for await (const { line, fields } of csvRecords(pieces())) records.push([line, ...fields]);
  return records;
}

describe('a CSV file', () => {
  it.each([1, 2, 5, 1000])('is read the same in pieces of %i bytes', async (size) => {
    const text = '\u{FEFF}a,"b ""c"" €",\r\n\n"two\nlines",x\rlast,"",';
    expect(await read(text, size)).toEqual([
      [1, 'a', 'b "c" €', ''],
      [3, 'two\nlines', 'x'],
      [5, 'last', '', ''],
    ]);
  });

  it('is empty, or ends without a line break', async () => {
    expect(await read('')).toEqual([]);
    expect(await read('\r\n\r\n')).toEqual([]);
    expect(await read('a')).toEqual([[1, 'a']]);
  });

  it.each([
    ['a\n"b', 2, 'a quote is not closed'],
    ['a\nb"c', 2, 'a quote stands within a field without quotes'],
    ['"a"b', 1, 'text stands behind a closing quote'],
    [`a\n${'b'.repeat(70_000)}`, 2, 'the line is too long'],
    [Uint8Array.of(97, 10, 0xff, 0xfe), 1, 'the file is not UTF-8'],
  ])('%j is refused', async (content, line, message) => {
    const fault = await read(content).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(CsvFault);
    expect(fault).toMatchObject({ message });
    expect((fault as CsvFault).line).toBeGreaterThanOrEqual(line);
  });
});
