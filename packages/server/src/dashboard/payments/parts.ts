import type { DisputeParts } from '../../disputes/parts.ts';
import type { PaymentParts } from '../../payments/parts.ts';
import type { RefundParts } from '../../refunds/parts.ts';

/** What the pages of payments, refunds and customers need of the features. */
export interface PaymentsSectionParts {
  readonly payments: PaymentParts;
  readonly refunds: RefundParts;
  readonly disputes: Pick<DisputeParts, 'store'>;
}
