import pg from 'pg';
import { till } from './merchant.ts';

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { url } = await till<{ url: string }>('db', 'url');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Returns the oldest transaction in progress. Rows that are written from now on belong to it or to a later
 * one.
 */
export function oldestOpenTransaction(): Promise<string> {
  return withClient(async (client) => {
    const { rows } = await client.query('select pg_snapshot_xmin(pg_current_snapshot())::text as xid');
    return rows[0].xid;
  });
}

/**
 * Searches every column of every table in the database, whatever its type: casting a row to text shows text
 * and JSON unchanged and `bytea` as hexadecimal.
 * @param patterns POSIX regular expressions
 * @param where `since`: only rows written since then (`oldestOpenTransaction`); `schema`: the only schema to search,
 *   default all; `except`: columns to skip
 * @returns `schema.table: pattern in` and the context of each hit
 */
export function findInDatabase(
  patterns: readonly string[],
  {
    since,
    schema = null,
    except = [],
  }: { since: string; schema?: string | null; except?: readonly string[] },
): Promise<string[]> {
  return withClient(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
         and ($1::text is null or table_schema = $1)`,
      [schema],
    );
    if (tables.length === 0) throw new Error('the database has no tables');
    const hits: string[] = [];
    // One pass over each table with all patterns. Only a table with a hit is searched for each single
    // pattern.
    const anyOfThem = patterns.map((pattern) => `(?:${pattern})`).join('|');
    const nothing = JSON.stringify(Object.fromEntries(except.map((column) => [column, null])));
    const row = except.length === 0 ? 't' : `jsonb_populate_record(t, '${nothing}')`;
    for (const { name } of tables) {
      const { rows } = await client.query<{ pattern: string; place: string }>(
        `with written as materialized (
           select ${row}::text as bytes from ${name} t where age(t.xmin) <= age($3::xid8::xid))
         select p.pattern, (
           select regexp_substr(bytes, '.{0,60}(?:' || p.pattern || ').{0,20}') from written
           where bytes ~ p.pattern limit 1) as place
         from (select exists (select from written where bytes ~ $2) as hit offset 0) found
         join unnest($1::text[]) as p (pattern) on found.hit
         where exists (select from written where bytes ~ p.pattern)`,
        [patterns, anyOfThem, since],
      );
      hits.push(...rows.map(({ pattern, place }) => `${name}: ${pattern} in ${place}`));
    }
    return hits;
  });
}

/** Returns the tokens under which the simulated processors store what these accounts saved in test mode. */
export function upstreamTokens(accounts: readonly string[]): Promise<string[]> {
  return withClient(async (client) => {
    const { rows } = await client.query<{ token: string }>(
      'select token from sandbox.instruments where merchant_account = any ($1::text[])',
      [accounts],
    );
    return rows.map(({ token }) => token);
  });
}

const escapeRegex = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns the part of a text's base64 form that does not depend on neighbouring bytes, for each of the three
 * alignments.
 */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((lead) => {
    const encoded = Buffer.from(`${'\0'.repeat(lead)}${text}`).toString('base64');
    const certain = Math.floor(((lead + text.length) * 8) / 6);
    return encoded.slice(Math.ceil((lead * 8) / 6), certain);
  });
}

/** Patterns of a text that is too long to occur by chance: plain, in hexadecimal, in base64. */
export function patternsOf(text: string): string[] {
  return [text, Buffer.from(text).toString('hex'), ...base64Forms(text)].map(escapeRegex);
}

/**
 * Patterns of a security code. Four digits occur by chance inside ids, hashes and fractions of seconds. A
 * code therefore counts only without a letter, digit, decimal point or hyphen (UUIDs) next to it (a JSON
 * value, a whole column), as a whole binary column, or encoded together with the quotes around it in a JSON
 * body.
 * @param code should have a leading zero, which no printed sequence number, amount or duration has
 */
export function patternsOfCode(code: string): string[] {
  const quoted = JSON.stringify(code);
  return [
    `(^|[^0-9A-Za-z.-])${code}([^0-9A-Za-z-]|$)`,
    `\\\\x${Buffer.from(code).toString('hex')}([^0-9a-f]|$)`,
    Buffer.from(quoted).toString('hex'),
    ...base64Forms(quoted).map(escapeRegex),
  ];
}
