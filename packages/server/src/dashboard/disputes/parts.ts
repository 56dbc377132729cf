import type { DisputeParts } from '../../disputes/parts.ts';
import type { FileParts } from '../../files/files.ts';
import type { PaymentParts } from '../../payments/parts.ts';

/** What the inbox of disputes needs of the features. */
export interface InboxParts {
  readonly disputes: DisputeParts;
  readonly files: FileParts;
  readonly payments: PaymentParts;
}

export interface Inbox extends InboxParts {
  /** The same for what only reads, apart from the connections that payments are made with. */
  readonly reading: InboxParts;
}
