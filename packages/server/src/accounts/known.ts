import type { Queryable } from '../store/database.ts';

/** SQL of what home knows of the accounts in a cell, in one order. @param a alias of a table with these columns */
export const knownPrint = (a: string): string =>
  `md5(coalesce(string_agg(concat_ws(' ', ${a}.account_id, ${a}.environment, ${a}.activation, ${a}.time_zone, ${a}.name),
     ',' order by ${a}.account_id collate "C"), '')) as print`;

/** The accounts of this database as home keeps them, as JSON text, and a fingerprint of them. */
export async function readKnown(
  db: Queryable,
): Promise<{ readonly print: string; readonly accounts: string }> {
  const [row] = await db.query<{ print: string; accounts: string }>({
    name: 'read_known_accounts',
    text: `select ${knownPrint('a')}, coalesce(json_agg(json_build_object('account_id', a.account_id, 'name', a.name,
             'environment', a.environment, 'activation', a.activation, 'time_zone', a.time_zone)), '[]')::text as accounts
           from accounts a`,
    scope: 'nobody',
  });
  return row ?? { print: '', accounts: '[]' };
}
