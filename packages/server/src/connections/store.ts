import {
  assigned,
  bytes,
  int,
  listOf,
  parametersOf,
  type RowOf,
  tenantColumns,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

const writtenColumns = {
  base_url: text,
  disputes_url: text,
  secrets: bytes,
  key_version: int,
  updated_at: time,
} as const;
export const insertedColumns = { ...tenantColumns, ...writtenColumns } as const;
const credentialColumns = { ...writtenColumns, revision: int } as const;

export type CredentialRow = RowOf<typeof credentialColumns>;

export async function findCredentials(db: Queryable, tenant: Tenant): Promise<CredentialRow | undefined> {
  const [row] = await db.query<CredentialRow>({
    name: 'find_connection_credentials',
    text: `select ${listOf(credentialColumns)} from connection_credentials where tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row;
}

/**
 * Identifies the current version of a connection. One that was removed and set again restarts at revision 1, with a later
 * time.
 */
export type RevisionRow = Tenant & Pick<CredentialRow, 'revision' | 'updated_at'>;

/** Lists the current versions of all accounts' connections. */
export function listRevisions(db: Queryable): Promise<RevisionRow[]> {
  return db.query({
    name: 'list_connection_revisions',
    scope: 'everybody',
    text: `select t.tenant, t.account_id as "accountId", t.livemode, c.revision, c.updated_at
           from connection_credentials c join tenants t using (tenant)`,
  });
}

export async function writeCredentials(
  db: Queryable,
  tenant: Tenant,
  options: {
    readonly baseUrl: string;
    readonly disputesUrl: string;
    readonly sealed: Buffer;
    readonly keyVersion: number;
    readonly now: Date;
  },
): Promise<void> {
  await db.query({
    text: `insert into connection_credentials as c (${listOf(insertedColumns)})
           values (${parametersOf(insertedColumns)})
           on conflict (tenant) do update set ${assigned(writtenColumns, 'excluded')}, revision = c.revision + 1`,
    values: valuesOf(insertedColumns, {
      tenant: tenant.tenant,
      base_url: options.baseUrl,
      disputes_url: options.disputesUrl,
      secrets: options.sealed,
      key_version: options.keyVersion,
      updated_at: options.now,
    }),
    scope: tenant,
  });
}

export async function deleteCredentials(db: Queryable, tenant: Tenant): Promise<boolean> {
  const rows = await db.query({
    text: 'delete from connection_credentials where tenant = $1 returning tenant',
    values: [tenant.tenant],
    scope: tenant,
  });
  return rows.length === 1;
}
