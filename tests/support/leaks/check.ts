import pg from 'pg';
import { packageSources, placeOf, read, testSources } from '../sources.ts';
import { apiKeys, cardNumber, securityCodes, signingSecrets } from './needles.ts';
import { type Hit, Searcher } from './search.ts';

/**
 * Secrets that tests put into the merchant's own texts, such as names and metadata, which are stored as sent.
 */
const keptOnPurpose = {
  // acceptance/dashboard/developers-logs.test.ts: the request log masks what the customer object keeps.
  // fuzz/world.ts: put into every field that accepts a text.
  numbers: ['4929421234600821', '376680816376961', '6304219447607087665', '676770000005', '4646464646464644'],
  codes: ['8264', '914'],
};

function passesLuhn(digits: string): boolean {
  const values = Array.from(digits)
    .reverse()
    .map((digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
      return value > 9 ? value - 9 : value;
    });
  return values.reduce((sum, value) => sum + value, 0) % 10 === 0;
}

/** Every card number in a test or in the table of test cards. */
function knownNumbers(): string[] {
  const sources = [...testSources, ...packageSources.filter((path) => placeOf(path).package === 'sandbox')];
  const found = sources.flatMap((path) => read(path).match(/(?<![\d.])\d{13,19}(?![\d.])/g) ?? []);
  return [...new Set(found)].filter(
    (number) => passesLuhn(number) && !keptOnPurpose.numbers.includes(number),
  );
}

/** Searches every row of every table as text, which is what a database dump contains. */
async function inDump(searcher: Searcher, databaseUrl: string): Promise<Hit[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const hits: Hit[] = [];
    await client.query('begin');
    for (const { name } of tables) {
      await client.query(`declare dump cursor for select t::text as row from ${name} t`);
      for (;;) {
        const { rows } = await client.query<{ row: string }>('fetch 2000 from dump');
        if (rows.length === 0) break;
        hits.push(...searcher.inText(rows.map(({ row }) => row).join('\n'), `the dump of ${name}`));
      }
      await client.query('close dump');
    }
    return hits;
  } finally {
    await client.end();
  }
}

const inWords = (hits: readonly Hit[]) => hits.map(({ what, where, at }) => `${what} in ${where} at ${at}`);

/** Searches what the tests leave behind for data that must not be in it. */
export class LeakSearch {
  readonly #kept = new Searcher([
    ...knownNumbers().flatMap(cardNumber),
    ...apiKeys(),
    ...signingSecrets(),
    ...securityCodes(keptOnPurpose.codes),
  ]);
  /** Excludes API keys, since the first start prints those of its demo accounts. */
  readonly #printed = new Searcher([
    ...knownNumbers().flatMap(cardNumber),
    ...signingSecrets(),
    ...securityCodes(),
  ]);

  /** Searches a database's tables for card numbers, security codes and secrets. */
  async database(url: string): Promise<string[]> {
    return inWords(await inDump(this.#kept, url));
  }

  /**
   * Searches a database's files, including the WAL.
   * @returns also the number of bytes searched
   */
  folder(path: string): { found: string[]; bytes: number } {
    const { hits, bytes } = this.#kept.inFolder(path);
    return { found: inWords(hits), bytes };
  }

  /** Searches the output of servers. */
  outputs(path: string): string[] {
    return inWords(this.#printed.inFolder(path).hits);
  }
}
