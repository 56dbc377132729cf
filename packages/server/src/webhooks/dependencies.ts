import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';

/**
 * Encrypts signing secrets under the account's own key. The place of each secret is bound in, so that encrypted values
 * cannot be swapped.
 */
export type SecretVault = Pick<Vault, 'seal' | 'open'>;

/** The dependencies of the operations on endpoints and deliveries. */
export interface WebhookDependencies {
  readonly db: Database;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Called when deliveries of this account may be due. The delivery worker of this process then looks for them at once. */
  readonly wake: (accountId: string) => void;
}
