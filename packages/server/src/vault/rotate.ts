import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { ownerColumn, type SealedColumn, sealedColumns } from './places.ts';
import { tenantsOf } from './store.ts';
import { keyCacheMs, type Vault } from './vault.ts';

const batchSize = 500;

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly key_version: number;
}

export interface RotationDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  /** Called with the number of rows that were resealed so far, in all passes together. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/**
 * Gives each account a new key and reseals all secrets of the account with it, while servers run. For a few seconds servers still
 * seal with the former key, so the passes are repeated until no such row is left.
 * @returns how many rows were resealed
 */
export async function rotateKeys(deps: RotationDependencies, accountIds: readonly string[]): Promise<number> {
  const versions = new Map<string, number>();
  for (const accountId of accountIds) versions.set(accountId, await deps.vault.addKey(accountId));
  if (versions.size === 0) return 0;
  const present = await existingTables(deps.db);
  let rows = 0;
  /** @returns whether any row still had a former key */
  const pass = async () => {
    const before = rows;
    for (const tenant of await tenantsOf(deps.db, accountIds)) {
      for (const column of present.filter((of) => (of.livemode ?? false) === tenant.livemode)) {
        rows += await sealAnew(deps, tenant, versions.get(tenant.accountId) ?? 0, column);
        deps.onRows?.(rows);
      }
    }
    return rows > before;
  };
  await pass();
  // Twice the cache time: once until all servers know the new key, once for their transactions in flight.
  await deps.clock.delay(2 * keyCacheMs);
  while (await pass());
  return rows;
}

async function existingTables(db: Database): Promise<SealedColumn[]> {
  const rows = await db.query<{ name: string }>({
    text: 'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    values: [sealedColumns.map(({ table }) => table)],
    scope: 'anybody',
  });
  const present = new Set(rows.map(({ name }) => name));
  return sealedColumns.filter(({ table }) => present.has(table));
}

/** Makes one pass over a column's rows of a tenant or its account. @returns how many rows still had a former key */
async function sealAnew(
  { db, vault }: RotationDependencies,
  tenant: Tenant,
  version: number,
  kind: SealedColumn,
): Promise<number> {
  const { accountId } = tenant;
  const { table, column, version: versionColumn, id: rowId, rows, place } = kind;
  const owner = ownerColumn(kind);
  const ownerId = owner === 'tenant' ? tenant.tenant : accountId;
  let count = 0;
  for (let last = ''; ; ) {
    const found = await db.query<SealedRow>({
      text: `select ${rowId} as id, ${column} as sealed, ${versionColumn} as key_version from ${table}
             where ${owner} = $1 and ${rows} and ${rowId} > $2 and ${versionColumn} < $3 order by ${rowId} limit $4`,
      values: [ownerId, last, version, batchSize],
      scope: tenant,
    });
    if (found.length === 0) return count;
    const changes = await Promise.all(
      found.map(async ({ id, sealed, key_version: former }) => {
        const text = await vault.open(accountId, place(accountId, id), sealed, former);
        const anew = await vault.seal(accountId, place(accountId, id), text);
        return {
          row_id: id,
          former: sealed.toString('hex'),
          sealed: anew.sealed.toString('hex'),
          key_version: anew.keyVersion,
        };
      }),
    );
    // A row whose secret was changed meanwhile is skipped, and left to the next pass.
    await db.query({
      text: `update ${table} t set ${column} = decode(i.sealed, 'hex'), ${versionColumn} = i.key_version
             from json_to_recordset($2::json) as i (row_id text, former text, sealed text, key_version int)
             where ${owner} = $1 and ${rows} and ${rowId} = i.row_id and t.${column} = decode(i.former, 'hex')`,
      values: [ownerId, JSON.stringify(changes)],
      scope: tenant,
    });
    count += found.length;
    last = found.at(-1)?.id ?? last;
  }
}
