import { describeError, type Logger } from '../lib/log/log.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';
import { KnownConnections } from './known.ts';

/** Keeps the decrypted credentials of all accounts in memory. */
export const createConnections = ({
  db,
  vault,
  log,
}: {
  readonly db: Database;
  readonly vault: Vault;
  readonly log: Logger;
}): KnownConnections =>
  new KnownConnections({ db, vault }, (account, error) =>
    log.error('the credentials of a connection do not open', { account, ...describeError(error) }),
  );
