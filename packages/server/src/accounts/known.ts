import type { Queryable } from '../store/database.ts';

/** SQL of what home knows of the accounts in a cell, in one order. @param a alias of a table with these columns */
export const knownPrint = (a: string): string =>
  `md5(coalesce(string_agg(concat_ws(' ', ${a}.account_id, ${a}.environment, ${a}.activation, ${a}.time_zone, ${a}.name),
     ',' order by ${a}.account_id collate "C"), '')) as print`;

/** A fingerprint of the accounts of this database, to be compared with that of what home knows of them. */
export async function fingerprintOfKnown(db: Queryable): Promise<string> {
  const [row] = await db.query<{ print: string }>({
    name: 'fingerprint_of_known_accounts',
    text: `select ${knownPrint('a')} from accounts a`,
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** The accounts of this database as home keeps them, as JSON text. */
export async function readKnown(db: Queryable): Promise<string> {
  const [row] = await db.query<{ accounts: string }>({
    text: `select coalesce(json_agg(json_build_object('account_id', a.account_id, 'name', a.name,
             'environment', a.environment, 'activation', a.activation, 'time_zone', a.time_zone)), '[]')::text as accounts
           from accounts a`,
    scope: 'nobody',
  });
  return row?.accounts ?? '[]';
}
