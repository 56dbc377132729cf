/**
 * Finds statements of a migration that would disturb running servers of the previous version: statements of those servers would
 * fail, or wait while a table is scanned. Make such changes in steps: expand in one release, contract in a later one.
 */

/** A statement that would disturb running servers, and why. */
export interface Hazard {
  readonly statement: string;
  readonly why: string;
}

/** The statements of a migration, without comments. A function's body is part of its statement. */
export function statementsOf(sql: string): string[] {
  const tokens = /'(?:[^']|'')*'|\$\$[\s\S]*?\$\$|--[^\n]*|;/g;
  const statements: string[] = [];
  let begin = 0;
  let text = '';
  for (const match of sql.matchAll(tokens)) {
    const [token] = match;
    if (token.startsWith('--')) {
      text += sql.slice(begin, match.index);
      begin = match.index + token.length;
    } else if (token === ';') {
      statements.push(text + sql.slice(begin, match.index));
      text = '';
      begin = match.index + 1;
    }
  }
  statements.push(text + sql.slice(begin));
  return statements.map((statement) => statement.replaceAll(/\s+/g, ' ').trim()).filter(Boolean);
}

const name = '(?:if (?:not )?exists )?(?:only )?"?([a-z_.]+)"?';

/** Changes of an existing table, one pattern for each. */
const changes: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/\bdrop column\b/, 'the previous version still names the column'],
  [/\brename (?:column|to|constraint)?\b/, 'the previous version knows the old name only'],
  [/\balter (?:column )?\w+ (?:set data )?type\b/, 'the table is written anew while everybody waits'],
  [/\bset not null\b/, 'the table is read through while everybody waits: add a check as `not valid` first'],
  [
    /\badd column (?:if not exists )?\w+ (?:(?!,\s*add\b|\bdefault\b).)*\bnot null\b(?:(?!,\s*add\b|\bdefault\b).)*(?:,\s*add\b|$)/,
    'the previous version inserts rows without the column: give it a default',
  ],
  [
    /\badd (?:constraint \w+ )?(?:unique|primary key|exclude)\b/,
    'an index is built while everybody waits: build it concurrently first',
  ],
  [
    /\badd (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)/,
    'the table is read through while everybody waits: add it as `not valid`, validate it later',
  ],
];

function hazardOf(statement: string, fresh: Set<string>): string | undefined {
  const text = statement.toLowerCase();
  const table = (pattern: string) => new RegExp(`^${pattern}`).exec(text)?.[1];
  const made = table(`create (?:unlogged )?table ${name}`);
  if (made !== undefined) fresh.add(made);
  if (/^drop (?:table|view|function|type|schema)\b/.test(text)) {
    return 'the previous version may still use it';
  }
  if (/^(?:truncate|delete|update|lock)\b/.test(text)) return 'rows of a table in use are locked';
  const indexed = /^create (?:unique )?index (?!concurrently).*?\bon (?:only )?"?([a-z_.]+)"?/.exec(
    text,
  )?.[1];
  if (indexed !== undefined && !fresh.has(indexed)) {
    return `nobody can write to ${indexed} while the index is built: build it concurrently`;
  }
  const altered = table(`alter table ${name}`);
  if (altered === undefined || fresh.has(altered)) return undefined;
  return changes.find(([pattern]) => pattern.test(text))?.[1];
}

/** Every statement of a migration that would disturb a server of the previous version. */
export function hazardsOf(sql: string): Hazard[] {
  // Tables that the migration itself creates are not in use yet.
  const fresh = new Set<string>();
  return statementsOf(sql).flatMap((statement) => {
    const why = hazardOf(statement, fresh);
    return why === undefined ? [] : [{ statement, why }];
  });
}
