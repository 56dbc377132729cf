import type { FileStore } from '../files/store.ts';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { OnIncident } from '../operations/operation.ts';
import type { OperationStore } from '../operations/store.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { PaymentStore } from '../payments/store.ts';
import type { Database } from '../store/database.ts';
import type { DisputeStore } from './store.ts';

export interface DisputeDependencies {
  readonly db: Database;
  readonly store: DisputeStore;
  /** Operations on disputes. Beginning a defence stores its evidence. */
  readonly operations: OperationStore;
  /** Requests that wait for another operation of a dispute to end. They count together with the account's waits for payments. */
  readonly waits: PaymentDependencies['waits'];
  readonly files: Pick<FileStore, 'find' | 'findUsable' | 'contents'>;
  readonly payments: Pick<PaymentStore, 'find'>;
  readonly mail: MailDependencies;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly lease: PaymentDependencies['lease'];
  readonly connect: PaymentDependencies['connect'];
  /** Serializes a dispute to the API's JSON by the contract's schema. */
  readonly write: (dispute: object) => string;
  readonly keepAnswer: PaymentDependencies['keepAnswer'];
  readonly isKeyTaken: PaymentDependencies['isKeyTaken'];
  readonly onIncident: OnIncident;
}
