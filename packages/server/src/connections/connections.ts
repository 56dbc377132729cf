import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Credentials, Hosts } from '../processors/upstream/processor.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { writeAudit } from '../users/audit/audit.ts';
import { credentialPlace } from '../vault/places.ts';
import type { Vault } from '../vault/vault.ts';
import { retryOpenWork } from './open-work.ts';
import { deleteCredentials, findCredentials, writeCredentials } from './store.ts';

export interface ConnectionDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
}

/** One account's own connection to its processor in one mode. */
export interface OwnConnection extends Hosts {
  readonly credentials: Credentials;
  readonly revision: number;
  readonly updatedAt: Date;
}

/** @returns undefined if none is set @throws Error if this master key does not decrypt it */
export async function openConnection(
  { db, vault }: Pick<ConnectionDependencies, 'db' | 'vault'>,
  tenant: Tenant,
): Promise<OwnConnection | undefined> {
  const row = await findCredentials(db, tenant);
  if (row === undefined) return undefined;
  const { accountId, livemode } = tenant;
  const text = await vault.open(
    accountId,
    credentialPlace(accountId, livemode),
    row.secrets,
    row.key_version,
  );
  return {
    baseUrl: row.base_url,
    disputesUrl: row.disputes_url,
    credentials: JSON.parse(text) as Credentials,
    revision: row.revision,
    updatedAt: row.updated_at,
  };
}

/** When every process knows the new credentials: each polls for changes every 2 s (`compose/jobs.ts`). */
const knownAfterMs = 10_000;

/**
 * Sets or replaces a connection, with an audit entry that names the fields that were set but no values. Work that waits for
 * the processor is retried soon.
 */
export async function setConnection(
  deps: ConnectionDependencies,
  tenant: Tenant,
  options: Hosts & { readonly credentials: Credentials },
): Promise<void> {
  const { accountId, livemode } = tenant;
  const place = credentialPlace(accountId, livemode);
  const { sealed, keyVersion } = await deps.vault.seal(accountId, place, JSON.stringify(options.credentials));
  const { baseUrl, disputesUrl } = options;
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    await writeCredentials(tx, tenant, { baseUrl, disputesUrl, sealed, keyVersion, now });
    await retryOpenWork(tx, tenant, new Date(now.getTime() + knownAfterMs));
    await writeAudit(
      { ...deps, db: tx },
      {
        ...tenant,
        actor: { type: 'operator' },
        action: 'connection.credentials_set',
        objectId: null,
        before: null,
        after: { base_url: baseUrl, disputes_url: disputesUrl, set: Object.keys(options.credentials) },
        ip: null,
      },
    );
  });
}

/** @returns false if there was none */
export async function removeConnection(deps: ConnectionDependencies, tenant: Tenant): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    if (!(await deleteCredentials(tx, tenant))) return false;
    await writeAudit(
      { ...deps, db: tx },
      {
        ...tenant,
        actor: { type: 'operator' },
        action: 'connection.credentials_removed',
        objectId: null,
        before: null,
        after: null,
        ip: null,
      },
    );
    return true;
  });
}
