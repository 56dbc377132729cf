import type { DisputeParts } from '../../disputes/parts.ts';
import type { PaymentParts } from '../../payments/parts.ts';
import type { RefundParts } from '../../refunds/parts.ts';

/** What the pages of payments, refunds and customers need of the features. */
export interface PaymentsSectionParts {
  readonly payments: PaymentParts;
  readonly refunds: RefundParts;
  readonly disputes: Pick<DisputeParts, 'store'>;
}

export interface PaymentsSection extends PaymentsSectionParts {
  /** The same for what only reads, apart from the connections that payments are made with. */
  readonly reading: PaymentsSectionParts;
}
