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

/** The oldest transaction that is under way: a row that is written from now on is of this one or a later one. */
export function writesFromNow(): Promise<string> {
  return withClient(async (client) => {
    const { rows } = await client.query('select pg_snapshot_xmin(pg_current_snapshot())::text as xid');
    return rows[0].xid;
  });
}

/**
 * Looks through every column of every table of the database in use, whatever its type: a row cast to text shows text and
 * JSON as they are and `bytea` as hex.
 * @param patterns POSIX regular expressions
 * @param where `since`: rows that were written from then on (`writesFromNow`); `schema`: the only one to look through, else
 *   all of them; `except`: columns that are passed over
 * @returns `schema.table: pattern in` and what stands around it, of each hit
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
    // All patterns in one pass over each table; which of them it was is asked of a table with a hit alone.
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

/** The tokens under which the simulated processors keep what these accounts saved in test mode. */
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

/** The part of a text's base64 that does not depend on its neighbours, for each of the three alignments. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((lead) => {
    const encoded = Buffer.from(`${'\0'.repeat(lead)}${text}`).toString('base64');
    const certain = Math.floor(((lead + text.length) * 8) / 6);
    return encoded.slice(Math.ceil((lead * 8) / 6), certain);
  });
}

/** Patterns of a text that is long enough to be its own proof: plain, in hex, in base64. */
export function patternsOf(text: string): string[] {
  return [text, Buffer.from(text).toString('hex'), ...base64Forms(text)].map(escapeRegex);
}

/**
 * Patterns of a security code. Four digits turn up by chance inside ids, hashes and fractions of seconds, so a code
 * counts only where it stands alone: no letter, digit, decimal point or hyphen (UUIDs) beside it (a JSON value, a whole column), as the
 * whole of a binary column, or encoded together with the quotes that a JSON body has around it.
 * @param code with a leading zero: no sequence, amount or duration is ever printed like that
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
