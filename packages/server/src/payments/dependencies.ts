import type { AccountContext } from '../accounts/context.ts';
import type { CustomerDependencies } from '../customers/customers.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { StoredAnswer } from '../idempotency/store.ts';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { OperationWaits } from '../lib/waiting/operation-waits.ts';
import type { Lease, OnIncident } from '../operations/operation.ts';
import type { OperationStore } from '../operations/store.ts';
import type { AlertDependencies } from '../payment-alerts/alerts.ts';
import type { PaymentMethodDependencies } from '../payment-methods/payment-methods.ts';
import type { Connect } from '../processors/port/connected.ts';
import type { Database } from '../store/database.ts';
import type { PaymentRow } from './payment.ts';
import type { PaymentStore } from './store.ts';

/** Addresses of our own pages for a payment's buyer. All of them contain the payment's token. */
export interface PaymentLinks {
  readonly token: (accountId: string, livemode: boolean, paymentId: string) => string;
  readonly checkoutUrl: (token: string) => string;
  readonly returnUrl: (token: string) => string;
  readonly cancelUrl: (token: string) => string;
}

export interface PaymentDependencies {
  readonly db: Database;
  readonly store: PaymentStore;
  readonly operations: OperationStore;
  /** The requests that wait for another operation on a payment to end. */
  readonly waits: OperationWaits;
  readonly customers: CustomerDependencies;
  readonly methods: PaymentMethodDependencies;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Returns a lease of this process on an operation, beginning now. */
  readonly lease: () => Lease;
  /** Returns the adapter and its connection to the upstream; undefined if the account has none in this mode. */
  readonly connect: Connect;
  /** How people are alerted when a processor reports something against a settled payment. */
  readonly alerts: AlertDependencies;
  readonly links: PaymentLinks;
  /** Writes a payment as the API shows it, by the contract's schema. */
  readonly write: (payment: object) => string;
  /** Stores an answer under its key if no commit of a payment does. */
  readonly keepAnswer: (context: AccountContext, claim: Claim, answer: StoredAnswer) => Promise<boolean>;
  /** Whether another request with this key was recorded meanwhile. */
  readonly isKeyTaken: (context: AccountContext, claim: Claim) => Promise<boolean>;
  readonly onSettled: (payment: PaymentRow, context: AccountContext, hasDeliveries: boolean) => void;
  readonly onIncident: OnIncident;
}
