import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { OnIncident } from '../operations/operation.ts';
import type { LinkDependencies } from '../payment-links/payment-links.ts';
import type { RefundDependencies } from '../refunds/dependencies.ts';

export interface ApprovalDependencies
  extends Pick<RefundDependencies, 'db' | 'clock' | 'randomBytes' | 'isKeyTaken'> {
  readonly refunds: RefundDependencies;
  readonly links: LinkDependencies;
  readonly mail: MailDependencies;
  /** Lets a repeat of a request go on once more. */
  readonly release: (context: AccountContext, claim: Claim) => Promise<void>;
  /** Writes an approval as the API shows it, by the contract's schema. */
  readonly write: (approval: object) => string;
  /** Called with the account whose event was just committed. */
  readonly wake: (accountId: string) => void;
  readonly onIncident: OnIncident;
}
