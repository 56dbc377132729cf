import type { AccountDependencies } from '../../accounts/accounts.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { CheckConnection } from '../../processors/connect.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { AuditDetails } from '../call.ts';

/** What the operations on an account's settings need. */
export interface SettingsDependencies extends AccountDependencies {
  readonly db: Database;
  readonly connect: PaymentDependencies['connect'];
  /** The simulators stand in for live processors. */
  readonly liveSimulation: boolean;
  /** Asks the processor whether it takes the credentials of a connection. */
  readonly checkConnection: CheckConnection;
  readonly publicAddress: () => string;
  readonly sendsMail: boolean;
}

/** What of a call a change of the settings needs. */
export interface ChangingCall {
  readonly staff: { readonly accountId: string };
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
}
