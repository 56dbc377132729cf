import type { AccountContext } from '../accounts/context.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { OnIncident } from '../operations/operation.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { RefundRow } from './row.ts';
import type { RefundStore } from './store.ts';

export interface RefundDependencies
  extends Pick<
    PaymentDependencies,
    | 'db'
    | 'clock'
    | 'operations'
    | 'waits'
    | 'randomBytes'
    | 'lease'
    | 'connect'
    | 'keepAnswer'
    | 'isKeyTaken'
  > {
  readonly store: RefundStore;
  readonly payments: PaymentDependencies;
  readonly mail: MailDependencies;
  /** Serializes a refund to the API's JSON by the contract's schema. */
  readonly write: (refund: object) => string;
  /** Called when a refund has succeeded or failed. @param hasDeliveries whether the commit wrote webhook deliveries */
  readonly onSettled: (refund: RefundRow, context: AccountContext, hasDeliveries: boolean) => void;
  readonly onIncident: OnIncident;
}
