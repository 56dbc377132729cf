import type { DisputeDependencies } from '../../disputes/dependencies.ts';
import type { FileDependencies } from '../../files/files.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';

/** The features that the inbox of disputes depends on. */
export interface InboxDependencies {
  readonly disputes: DisputeDependencies;
  readonly files: FileDependencies;
  readonly payments: PaymentDependencies;
}

export interface Inbox extends InboxDependencies {
  /** The same for read-only operations, which do not use the connections of payments. */
  readonly reading: InboxDependencies;
}
