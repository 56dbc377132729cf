import type { ApprovalDependencies } from '../../approvals/dependencies.ts';
import type { DisputeDependencies } from '../../disputes/dependencies.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { RefundDependencies } from '../../refunds/dependencies.ts';

/** The features that the pages of payments, refunds and customers depend on. */
export interface PaymentsSectionDependencies {
  readonly payments: PaymentDependencies;
  readonly refunds: RefundDependencies;
  readonly disputes: Pick<DisputeDependencies, 'store'>;
}

export interface PaymentsSection extends PaymentsSectionDependencies {
  readonly approvals: ApprovalDependencies;
  /** The same for read-only operations, which do not use the connections of payments. */
  readonly reading: PaymentsSectionDependencies;
}
