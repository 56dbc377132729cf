import type { AccountParts } from '../../accounts/accounts.ts';
import type { PaymentParts } from '../../payments/parts.ts';
import type { Database } from '../../store/database.ts';

/** What the operations on an account's settings need. */
export interface SettingsParts extends AccountParts {
  readonly db: Database;
  readonly connect: PaymentParts['connect'];
  /** The simulators stand in for live processors. */
  readonly liveSimulation: boolean;
}
