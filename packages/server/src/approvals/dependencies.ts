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
  /** Releases the claim of an idempotency key, so that a repeated request is processed again. */
  readonly release: (context: AccountContext, claim: Claim) => Promise<void>;
  /** Serializes an approval to the API's JSON by the contract's schema. */
  readonly write: (approval: object) => string;
  /** Wakes the webhook delivery of an account after an event was committed. */
  readonly wake: (accountId: string) => void;
  readonly onIncident: OnIncident;
}
