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

/** What became of a delivery, as it is counted. */
export type IntakeResult = 'accepted' | 'duplicate' | 'refused' | 'unverifiable';

/** Names a notification in logs, without its content. */
export interface NotificationLabel {
  readonly accountId: string;
  readonly livemode?: boolean;
  readonly processor: Provider;
  readonly detail?: string;
}

/** Seals notifications and names them: what they carry may be a token, and so may what identifies them upstream. */
export type NotificationVault = Pick<Vault, 'seal' | 'open' | 'name'>;

interface SharedDependencies {
  readonly store: NotificationStore;
  readonly vault: NotificationVault;
  readonly clock: Clock;
  /** The adapter and the way to its upstream; undefined where the account has none in this mode. */
  readonly connect: Connect;
  readonly onIncident: (message: string, about: NotificationLabel, error?: unknown) => void;
}

export interface IntakeDependencies extends SharedDependencies {
  readonly identify: (accountId: string) => Promise<AccountIdentity | undefined>;
  readonly count: (processor: Provider, result: IntakeResult) => void;
  /** Room to apply a notification in this process as soon as it is kept; undefined or absent: it waits until it is taken. */
  readonly reserve?: (tenant: Tenant) => Reservation | undefined;
  /** Something new is stored and waits to be taken. */
  readonly onStored: () => void;
}

export interface ApplyDependencies extends SharedDependencies {
  /** What this process keeps under its own lease; absent: nothing. */
  readonly inbox?: Pick<Inbox, 'take'>;
  readonly findAccount: (accountId: string) => Promise<Account | undefined>;
  /** Told where the notifications of an account could not be looked at. */
  readonly onFailure: (error: unknown, accountId: string) => void;
  /** A lease of this process on a notification, from now on. */
  readonly lease: () => Lease;
  /**
   * Brings one of our objects to what the upstream says of it. Repeats and any order have to lead to the same state.
   * @param sender identity of the merchant account that says it; null: not known
   * @returns `later` where it cannot be applied yet
   */
  readonly apply: (
    context: AccountContext,
    effect: NotificationEffect,
    sender: string | null,
  ) => Promise<'applied' | 'later'>;
}
