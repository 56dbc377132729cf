import type { Queryable } from '../store/database.ts';

interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

export interface CredentialRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly base_url: string;
  readonly disputes_url: string;
  readonly secrets: Buffer;
  readonly key_version: number;
  readonly revision: number;
  readonly updated_at: Date;
}

const columns = 'account_id, livemode, base_url, disputes_url, secrets, key_version, revision, updated_at';

export async function findCredentials(db: Queryable, tenant: Tenant): Promise<CredentialRow | undefined> {
  const [row] = await db.query<CredentialRow>({
    name: 'find_connection_credentials',
    text: `select ${columns} from connection_credentials where account_id = $1 and livemode = $2`,
    values: [tenant.accountId, tenant.livemode],
    scope: tenant,
  });
  return row;
}

/** Which connections of all accounts there are, and which change of each is in force. */
export function listRevisions(
  db: Queryable,
): Promise<Pick<CredentialRow, 'account_id' | 'livemode' | 'revision'>[]> {
  return db.query({
    name: 'list_connection_revisions',
    scope: 'everybody',
    text: 'select account_id, livemode, revision from connection_credentials',
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
             (account_id, livemode, base_url, disputes_url, secrets, key_version, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (account_id, livemode) do update set base_url = excluded.base_url,
             disputes_url = excluded.disputes_url, secrets = excluded.secrets, key_version = excluded.key_version,
             revision = c.revision + 1, updated_at = excluded.updated_at`,
    values: [
      tenant.accountId,
      tenant.livemode,
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
    text: 'delete from connection_credentials where account_id = $1 and livemode = $2 returning id',
    values: [tenant.accountId, tenant.livemode],
    scope: tenant,
  });
  return rows.length === 1;
}
