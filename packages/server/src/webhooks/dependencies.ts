import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';

/** Seals signing secrets under the account's own key; their place is bound in, so that sealed values cannot be swapped. */
export type SecretVault = Pick<Vault, 'seal' | 'open'>;

/** What the operations on endpoints and deliveries need. */
export interface WebhookDependencies {
  readonly db: Database;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Deliveries of this account may be due: the worker of this process looks at once. */
  readonly wake: (accountId: string) => void;
}
