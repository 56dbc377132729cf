import type { Provider } from '@till/contract';
import type { AccountContext, AccountIdentity, backgroundContext } from '../accounts/context.ts';
import type { Clock } from '../lib/clock.ts';
import type { Connect } from '../processors/port/connected.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import type { Tenant } from '../store/tenant.ts';
import type { Vault } from '../vault/vault.ts';
import type { Inbox, Reservation } from './inbox.ts';
import type { Lease, NotificationStore } from './store.ts';

export type Account = Parameters<typeof backgroundContext>[0];

/** Result of receiving a notification, as counted in the metrics. */
export type IntakeResult = 'accepted' | 'duplicate' | 'refused' | 'unverifiable';

/** Identifies a notification in logs, without its content. */
export interface NotificationLabel {
  readonly accountId: string;
  readonly livemode?: boolean;
  readonly processor: Provider;
  readonly detail?: string;
}

/** Encrypts notifications and hashes their ids: both the content and the upstream's id may contain a token. */
export type NotificationVault = Pick<Vault, 'seal' | 'open' | 'name'>;

interface SharedDependencies {
  readonly store: NotificationStore;
  readonly vault: NotificationVault;
  readonly clock: Clock;
  /** Finds the adapter and its connection; undefined if the account has none in this mode. */
  readonly connect: Connect;
  readonly onIncident: (message: string, about: NotificationLabel, error?: unknown) => void;
}

export interface IntakeDependencies extends SharedDependencies {
  readonly identify: (accountId: string) => Promise<AccountIdentity | undefined>;
  readonly count: (processor: Provider, result: IntakeResult) => void;
  /**
   * Reserves room to apply a notification in this process as soon as it is stored. Undefined or absent: the notification is
   * stored as due, for any process to take.
   */
  readonly reserve?: (tenant: Tenant) => Reservation | undefined;
  /** Called when a new notification is stored and is due. */
  readonly onStored: () => void;
}

export interface ApplyDependencies extends SharedDependencies {
  /** Notifications that this process holds under its own lease; absent: none. */
  readonly inbox?: Pick<Inbox, 'take'>;
  readonly findAccount: (accountId: string) => Promise<Account | undefined>;
  /** Called when the notifications of an account could not be processed. */
  readonly onFailure: (error: unknown, accountId: string) => void;
  /** Creates a lease of this process on a notification, starting now. */
  readonly lease: () => Lease;
  /**
   * Updates one of our objects to the state that the upstream reports. Repeats, in any order, have to lead to the same state.
   * @param sender identity of the merchant account that sent the notification; null: not known
   * @returns `later` if it cannot be applied yet
   */
  readonly apply: (
    context: AccountContext,
    effect: NotificationEffect,
    sender: string | null,
  ) => Promise<'applied' | 'later'>;
}
