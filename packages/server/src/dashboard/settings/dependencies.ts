import type { Provider } from '@till/contract';
import type { AccountDependencies } from '../../accounts/accounts.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { AuditDetails } from '../call.ts';

type Live = NonNullable<ReturnType<PaymentDependencies['connect']>>;

/** One thing that was asked of the processor about a connection; `detail` has no credential in it. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What the operations on an account's settings need. */
export interface SettingsDependencies extends AccountDependencies {
  readonly db: Database;
  readonly connect: PaymentDependencies['connect'];
  /** The simulators stand in for live processors. */
  readonly liveSimulation: boolean;
  /** Asks the processor whether it takes the credentials of a connection. */
  readonly checkConnection: (
    processor: Provider,
    connection: Live['connection'],
  ) => Promise<readonly Finding[]>;
  readonly publicAddress: () => string;
  readonly sendsMail: boolean;
}

/** What of a call a change of the settings needs. */
export interface ChangingCall {
  readonly staff: { readonly accountId: string };
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
}
