import type { ApprovalDependencies } from '../../approvals/dependencies.ts';
import type { DisputeDependencies } from '../../disputes/dependencies.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { RefundDependencies } from '../../refunds/dependencies.ts';

/** What the pages of payments, refunds and customers need of the features. */
export interface PaymentsSectionDependencies {
  readonly payments: PaymentDependencies;
  readonly refunds: RefundDependencies;
  readonly disputes: Pick<DisputeDependencies, 'store'>;
}

export interface PaymentsSection extends PaymentsSectionDependencies {
  readonly approvals: ApprovalDependencies;
  /** The same for what only reads, apart from the connections that payments are made with. */
  readonly reading: PaymentsSectionDependencies;
}
