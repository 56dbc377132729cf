import type { Clock } from '../../lib/clock.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { MailDependencies } from '../../mail/queue-mail.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import type { Passwords } from './passwords.ts';

/** What the operations on people share. */
export interface PeopleDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly masterKeys: MasterKeys;
  readonly passwords: Passwords;
  readonly mail: Omit<MailDependencies, 'db'>;
  /** Of the dashboard, for links in mails. */
  readonly publicAddress: () => string;
}

/** What a request needs that compares or hashes a password. */
export interface PasswordDependencies extends PeopleDependencies {
  /** How the request waits for that. */
  readonly suspend: Suspend;
}

/** The same parts within a transaction. */
export type Within<P extends { readonly db: Database }> = Omit<P, 'db'> & { readonly db: Queryable };
