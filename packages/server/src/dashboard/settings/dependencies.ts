import type { Provider } from '@till/contract';
import type { AccountDependencies } from '../../accounts/accounts.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { AuditDetails } from '../call.ts';

type Live = NonNullable<ReturnType<PaymentDependencies['connect']>>;

/** The result of one check of a connection at the processor. `detail` contains no credentials. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The dependencies of the operations on an account's settings. */
export interface SettingsDependencies extends AccountDependencies {
  readonly db: Database;
  readonly connect: PaymentDependencies['connect'];
  /** Whether the simulators stand in for live processors. */
  readonly liveSimulation: boolean;
  /** Asks the processor whether it accepts the credentials of a connection. */
  readonly checkConnection: (
    processor: Provider,
    connection: Live['connection'],
  ) => Promise<readonly Finding[]>;
  readonly publicAddress: () => string;
  readonly sendsMail: boolean;
}

/** The part of a call that a change of the settings needs. */
export interface ChangingCall {
  readonly staff: { readonly accountId: string };
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
}
