import type { Queryable } from '../store/database.ts';

/** SQL for a fingerprint of the data that the home cell has about a cell's accounts. @param a alias of the table */
export const knownPrint = (a: string): string =>
  `md5(coalesce(string_agg(concat_ws(' ', ${a}.account_id, ${a}.environment, ${a}.activation, ${a}.time_zone, ${a}.name),
     ',' order by ${a}.account_id collate "C"), '')) as print`;

/** A fingerprint of the accounts of this database, to compare with the data that the home cell has about them. */
export async function fingerprintOfKnown(db: Queryable): Promise<string> {
  const [row] = await db.query<{ print: string }>({
    name: 'fingerprint_of_known_accounts',
    text: `select ${knownPrint('a')} from accounts a`,
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** The accounts of this database as JSON text, with the fields that the home cell keeps. */
export async function readKnown(db: Queryable): Promise<string> {
  const [row] = await db.query<{ accounts: string }>({
    text: `select coalesce(json_agg(json_build_object('account_id', a.account_id, 'name', a.name,
             'environment', a.environment, 'activation', a.activation, 'time_zone', a.time_zone)), '[]')::text as accounts
           from accounts a`,
    scope: 'nobody',
  });
  return row?.accounts ?? '[]';
}
