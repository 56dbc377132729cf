import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { ConfigError } from '../../config/config.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { type Database, isConnectionRefused, isUnavailable, sqlState } from '../../store/database.ts';
import { MasterKeyError } from '../../vault/master-keys.ts';

/** Where a command runs and where its result goes; passed in so that it can run inside another process too. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths of settings start here. */
  readonly folder: string;
  /** What stands on the command line. */
  readonly words?: readonly string[];
  /** Cells that a command about everything left out, with what is the matter. */
  readonly leftOut?: Map<string, string>;
  /** A database that is open and stays so; without one a command opens its own. */
  readonly openedDatabase?: (url: string) => Database | undefined;
  readonly out: (text: string) => void;
  /** Sets the exit code, and says why where there is something to say. */
  readonly fail: (text: string, exitCode: number) => void;
}

type Value = object | readonly object[];

/** Rows as a table, one object as lines of name and value. */
export function asTable(value: Value): string {
  if (!Array.isArray(value)) {
    const width = Math.max(...Object.keys(value).map((name) => name.length));
    return Object.entries(value)
      .map(([name, field]) => `${name.padEnd(width)}  ${asText(field)}`)
      .join('\n');
  }
  const rows = value as readonly Record<string, unknown>[];
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return '(none)';
  const table = [names, ...rows.map((row) => names.map((name) => asText(row[name])))];
  const widths = names.map((_name, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((field, column) => field.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Text of merchants, of which a terminal obeys nothing: control characters, line ends and marks of direction as escapes. */
const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A text of several lines as it is read, of which a terminal obeys nothing either. */
export const asLines = (text: string): string => text.split(/\r?\n/).map(visible).join('\n');

/** A missing socket of a database has the codes that a missing file has. */
const isOfFile = (error: unknown): boolean =>
  error instanceof Error && 'path' in error && 'syscall' in error && error.syscall !== 'connect';

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof OperatorError) return { code: error.code, message: error.message };
  if (error instanceof ConfigError) return { code: 'invalid_configuration', message: error.message };
  if (error instanceof MasterKeyError) return { code: 'wrong_master_key', message: error.message };
  if (isUnavailable(error) && !isOfFile(error)) {
    const how = isConnectionRefused(error) ? 'refuses the connection' : 'does not answer';
    return { code: 'database_unavailable', message: `The database ${how}: ${messageOf(error)}` };
  }
  if (sqlState(error) === '42P01') {
    return { code: 'not_migrated', message: 'The database has no Till schema yet. Start the server once.' };
  }
  return { code: 'internal_error', message: messageOf(error) };
}

const cellsAway = (leftOut: readonly (readonly [string, string])[]) =>
  leftOut.length === 0 ? {} : { cells_away: leftOut.map(([cell]) => cell) };

/**
 * Runs a command's work and prints what it returns: for people by default, one JSON object with `--json`. Work that
 * prints by itself returns nothing.
 * An error ends with exit code 1, and `{error: {code, message}}` with `--json`; cells that were left out with exit code 1, and `cells_away`.
 */
export async function report(
  command: Command,
  shell: Shell,
  work: () => Promise<Value | undefined>,
  human?: (value: never) => string,
) {
  const json = command.optsWithGlobals<{ json?: boolean }>().json === true;
  try {
    const value = await work();
    const leftOut = [...(shell.leftOut ?? [])];
    if (value !== undefined) {
      const object: object = Array.isArray(value) ? { data: value } : value;
      if (json) shell.out(JSON.stringify({ ...object, ...cellsAway(leftOut) }));
      else shell.out(human === undefined ? asTable(value) : human(value as never));
    }
    // A line for each event is no object that could say it.
    const isSaid = json && value !== undefined;
    for (const [, message] of leftOut) shell.fail(isSaid ? '' : `till: ${message}. It was left out.`, 1);
  } catch (error) {
    const fault = describe(error);
    if (json) shell.out(JSON.stringify({ error: fault }));
    shell.fail(json ? '' : `till: ${fault.message}`, 1);
  }
}
