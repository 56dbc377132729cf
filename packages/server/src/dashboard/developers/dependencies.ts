import type { EnterKey } from '../../accounts/accounts.ts';
import type { Database } from '../../store/database.ts';
import type { WebhookDependencies } from '../../webhooks/dependencies.ts';

/** What the operations for developers need. */
export interface DeveloperDependencies extends WebhookDependencies {
  /** What lists and pages are read with. */
  readonly reads: Database;
  /** Enters a new key in the directory, where the account is not at home. */
  readonly enterKey?: EnterKey | undefined;
}
