import type { AccountDependencies } from '../../accounts/accounts.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { AuditDetails } from '../call.ts';

/** What the operations on an account's settings need. */
export interface SettingsDependencies extends AccountDependencies {
  readonly db: Database;
  readonly connect: PaymentDependencies['connect'];
  /** The simulators stand in for live processors. */
  readonly liveSimulation: boolean;
}

/** What of a call a change of the settings needs. */
export interface ChangingCall {
  readonly staff: { readonly accountId: string };
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
}
