import type { DisputeDependencies } from '../../disputes/dependencies.ts';
import type { FileDependencies } from '../../files/files.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';

/** What the inbox of disputes needs of the features. */
export interface InboxDependencies {
  readonly disputes: DisputeDependencies;
  readonly files: FileDependencies;
  readonly payments: PaymentDependencies;
}

export interface Inbox extends InboxDependencies {
  /** The same for what only reads, apart from the connections that payments are made with. */
  readonly reading: InboxDependencies;
}
