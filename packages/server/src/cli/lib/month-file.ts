import { InvalidArgumentError } from 'commander';
import { localTime } from '../../lib/time-zone.ts';
import { openOutFile } from './out-file.ts';
import { openSpool } from './spool.ts';

/** Parses the month of an option, such as 2026-11. @throws InvalidArgumentError */
export function month(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('a month such as 2026-11');
  return text;
}

/** The last complete month in a time zone: the one before the month of `now`. */
export function lastMonth(now: Date, timeZone: string): string {
  const [year = 0, number = 1] = localTime(now, timeZone).day.split('-').map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}

/** Counts the line ends in a piece of CSV, without those within quoted text. @param piece has complete lines only */
const lineEnds = (piece: string): number => piece.replaceAll(/"[^"]*"/g, '').split('\r\n').length - 1;

interface CsvFile {
  readonly name: string;
  readonly content: AsyncIterable<string>;
}

/**
 * Writes the same CSV file that the dashboard offers.
 * @returns its path, and the number of lines without the header
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
