import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

export interface CredentialRow {
  readonly base_url: string;
  readonly disputes_url: string;
  readonly secrets: Buffer;
  readonly key_version: number;
  readonly revision: number;
  readonly updated_at: Date;
}

const columns = 'base_url, disputes_url, secrets, key_version, revision, updated_at';

export async function findCredentials(db: Queryable, tenant: Tenant): Promise<CredentialRow | undefined> {
  const [row] = await db.query<CredentialRow>({
    name: 'find_connection_credentials',
    text: `select ${columns} from connection_credentials where tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row;
}

/** Which connections of all accounts there are, and which change of each is in force. */
export function listRevisions(db: Queryable): Promise<(Tenant & Pick<CredentialRow, 'revision'>)[]> {
  return db.query({
    name: 'list_connection_revisions',
    scope: 'everybody',
    text: `select t.tenant, t.account_id as "accountId", t.livemode, c.revision
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
    text: `insert into connection_credentials as c
             (tenant, base_url, disputes_url, secrets, key_version, updated_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (tenant) do update set base_url = excluded.base_url,
             disputes_url = excluded.disputes_url, secrets = excluded.secrets, key_version = excluded.key_version,
             revision = c.revision + 1, updated_at = excluded.updated_at`,
    values: [
      tenant.tenant,
      options.baseUrl,
      options.disputesUrl,
      options.sealed,
      options.keyVersion,
      options.now,
    ],
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
