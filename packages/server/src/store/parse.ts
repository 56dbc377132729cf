import pg from 'pg';

type TypeParser = typeof pg.types.getTypeParser;
const int8: number = pg.types.builtins.INT8;
const timestamptz: number = pg.types.builtins.TIMESTAMPTZ;
const driverParser = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;
const driverTime = driverParser(timestamptz) as (text: string) => unknown;

/**
 * Parses a time as the database writes it, in a column or in JSON. V8 is faster than the driver's parser, which only handles
 * texts that V8 cannot parse or assigns to another century.
 */
export function parseTime(text: string): unknown {
  const time = text.startsWith('00') ? Number.NaN : new Date(text);
  return Number.isNaN(Number(time)) ? driverTime(text.replace('T', ' ')) : time;
}

/** Reads timestamps as Date and bigint columns as number: every value that Till stores is below 2^53. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    return oid === timestamptz ? parseTime : driverParser(oid, format);
  }) as TypeParser,
};
