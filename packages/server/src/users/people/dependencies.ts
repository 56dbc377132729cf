import type { Clock } from '../../lib/clock.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { MailDependencies } from '../../mail/queue-mail.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import type { Passwords } from './passwords.ts';

/** The dependencies that all operations on people share. */
export interface PeopleDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly masterKeys: MasterKeys;
  readonly passwords: Passwords;
  readonly mail: Omit<MailDependencies, 'db'>;
  /** Base URL of the dashboard, for links in mails. */
  readonly publicAddress: () => string;
}

/** The dependencies of a request that compares or hashes a password. */
export interface PasswordDependencies extends PeopleDependencies {
  /** Suspends the request meanwhile. */
  readonly suspend: Suspend;
}

/** The same dependencies within a transaction. */
export type Within<P extends { readonly db: Database }> = Omit<P, 'db'> & { readonly db: Queryable };
