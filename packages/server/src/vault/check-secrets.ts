import type { Database } from '../store/database.ts';
import { ownerColumn, sealedColumns } from './places.ts';
import type { Vault } from './vault.ts';

/**
 * Opens the newest secret of each kind, to prove that this master key belongs to this database.
 * @returns how many secrets were opened
 * @throws if a secret cannot be opened
 */
export async function checkSecrets(db: Database, vault: Vault): Promise<number> {
  let opened = 0;
  for (const kind of sealedColumns) {
    const { table, column, version, livemode, id, rows, place } = kind;
    const owner = ownerColumn(kind);
    const [row] = await db.query<{ account_id: string; id: string; sealed: Buffer; key_version: number }>({
      text: `select t.account_id, s.id, s.sealed, s.key_version from tenants t
             cross join lateral (
               select ${id} as id, ${column} as sealed, ${version} as key_version from ${table}
               where ${owner} = t.${owner} and ${rows} and ${column} is not null order by ${id} desc limit 1) s
             where ${livemode === true ? '' : 'not '}t.livemode order by s.id desc limit 1`,
      scope: 'everybody',
    });
    if (row === undefined) continue;
    await vault.open(row.account_id, place(row.account_id, row.id), row.sealed, row.key_version);
    opened += 1;
  }
  return opened;
}
