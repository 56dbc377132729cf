import { InvalidArgumentError } from 'commander';
import { localTime } from '../../lib/time-zone.ts';
import { openOutFile } from './out-file.ts';
import { openSpool } from './spool.ts';

/** A month as an option names it. @throws InvalidArgumentError */
export function month(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('a month such as 2026-11');
  return text;
}

/** The last whole month: the one before the month of a moment in a time zone. */
export function lastMonth(now: Date, timeZone: string): string {
  const [year = 0, number = 1] = localTime(now, timeZone).day.split('-').map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}

/** How many lines end in whole lines of a file. Those of a text stand within its quotes. */
const lineEnds = (piece: string): number => piece.replaceAll(/"[^"]*"/g, '').split('\r\n').length - 1;

interface CsvFile {
  readonly name: string;
  readonly content: AsyncIterable<string>;
}

/**
 * Writes a CSV file as the dashboard offers it. @returns where it lies, and its lines below the first
 * @throws OperatorError `file_not_written`
 */
export async function writeCsv(
  file: CsvFile,
  path = file.name,
): Promise<{ readonly file: string; readonly lines: number }> {
  let lines = -1;
  const out = await openOutFile(path);
  try {
    const spool = await openSpool();
    try {
      for await (const piece of file.content) {
        lines += lineEnds(piece);
        await spool.append(piece);
      }
      await out.write(spool.read());
    } finally {
      await spool.close();
    }
  } finally {
    await out.close();
  }
  return { file: path, lines };
}
