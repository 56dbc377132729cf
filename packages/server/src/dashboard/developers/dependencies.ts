import type { EnterKey } from '../../accounts/accounts.ts';
import type { Database } from '../../store/database.ts';
import type { WebhookDependencies } from '../../webhooks/dependencies.ts';

/** The dependencies of the operations for developers. */
export interface DeveloperDependencies extends WebhookDependencies {
  /** The database for lists and pages. */
  readonly reads: Database;
  /** Adds a new key to the directory if the account is not in the home database. */
  readonly enterKey?: EnterKey | undefined;
}
