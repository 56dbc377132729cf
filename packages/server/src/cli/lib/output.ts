import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { ConfigError } from '../../config/config.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { type Database, isConnectionRefused, isUnavailable, sqlState } from '../../store/database.ts';
import { MasterKeyError } from '../../vault/master-keys.ts';

/** The environment of a command and the receiver of its output, passed in so that a command can also run in another process. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths in settings refer to. */
  readonly folder: string;
  /** The arguments on the command line. */
  readonly words?: readonly string[];
  /** The cells that a command for all cells had to skip, with the error message of each. */
  readonly skippedCells?: Map<string, string>;
  /** Returns a database that is open already and stays open. If there is none, a command opens its own. */
  readonly openedDatabase?: (url: string) => Database | undefined;
  readonly out: (text: string) => void;
  /** Sets the exit code, and prints the text unless it is empty. */
  readonly fail: (text: string, exitCode: number) => void;
}

type Value = object | readonly object[];

/** Formats rows as a table, and a single object as lines of name and value. */
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

/** Escapes control characters, line ends and directional marks: text of merchants must not control the operator's terminal. */
const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Keeps the line ends of a text, and escapes everything else as `visible` does. */
export const asLines = (text: string): string => text.split(/\r?\n/).map(visible).join('\n');

/** Whether an error is about a file. A missing database socket has the same error codes as a missing file. */
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

const cellsAway = (skippedCells: readonly (readonly [string, string])[]) =>
  skippedCells.length === 0 ? {} : { cells_away: skippedCells.map(([cell]) => cell) };

/**
 * Runs a command's work and prints its result: as text for people by default, as one JSON object with `--json`. Work that
 * prints by itself returns undefined.
 * After an error the exit code is 1, and `--json` prints `{error: {code, message}}`. It is also 1 if cells were skipped, which
 * `--json` lists in `cells_away`.
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
    const skippedCells = [...(shell.skippedCells ?? [])];
    if (value !== undefined) {
      const object: object = Array.isArray(value) ? { data: value } : value;
      if (json) shell.out(JSON.stringify({ ...object, ...cellsAway(skippedCells) }));
      else shell.out(human === undefined ? asTable(value) : human(value as never));
    }
    // Output of one line per event has no object that could carry `cells_away`.
    const isSaid = json && value !== undefined;
    for (const [, message] of skippedCells) shell.fail(isSaid ? '' : `till: ${message}. It was left out.`, 1);
  } catch (error) {
    const fault = describe(error);
    if (json) shell.out(JSON.stringify({ error: fault }));
    shell.fail(json ? '' : `till: ${fault.message}`, 1);
  }
}
