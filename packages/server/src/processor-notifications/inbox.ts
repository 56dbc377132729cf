import type { Provider } from '@till/contract';
import type { Tenant, TenantId } from '../store/tenant.ts';
import type { Lease, TakenNotification } from './store.ts';

/** Room for one notification that this process applies as soon as it is stored. */
export interface Reservation {
  /** The lease with which it is stored, so that no other process takes it. */
  readonly lease: Lease;
  /** Called when the notification is stored and can be applied. */
  readonly fill: (notification: TakenNotification) => void;
  /** Called when the notification was a repeat, or was not stored. */
  readonly cancel: () => void;
}

/**
 * Limits for one tenant, whose notifications are applied together, and for all tenants. Notifications beyond either limit
 * wait in the database until they are taken.
 */
const maxPerTenant = 50;
const maxTotal = 1000;

interface Share {
  reserved: number;
  readonly notifications: TakenNotification[];
}

/**
 * Notifications that were stored under a lease of this process and wait in its memory, so that nobody has to query and take
 * them. If the process ends first, its leases end with it and they become due again.
 */
export class Inbox {
  readonly #shares = new Map<TenantId, Share>();
  readonly #lease: () => Lease;
  readonly #onFilled: (tenant: Tenant, processor: Provider) => void;
  #held = 0;

  constructor(lease: () => Lease, onFilled: (tenant: Tenant, processor: Provider) => void) {
    this.#lease = lease;
    this.#onFilled = onFilled;
  }

  /** @returns undefined if there is no room: the notification is then to be stored as due */
  reserve(tenant: Tenant): Reservation | undefined {
    const share = this.#shares.get(tenant.tenant) ?? { reserved: 0, notifications: [] };
    const ofTenant = share.reserved + share.notifications.length;
    if (this.#held >= maxTotal || ofTenant >= maxPerTenant) return undefined;
    share.reserved += 1;
    this.#held += 1;
    this.#shares.set(tenant.tenant, share);
    return {
      lease: this.#lease(),
      fill: (notification) => {
        share.reserved -= 1;
        share.notifications.push(notification);
        this.#onFilled(tenant, notification.processor);
      },
      cancel: () => {
        share.reserved -= 1;
        this.#held -= 1;
        this.#forgetEmpty(tenant.tenant, share);
      },
    };
  }

  /**
   * Removes and returns the waiting notifications of one tenant in order of arrival, without those that another process may
   * have taken by now.
   */
  take({ tenant }: Tenant, now: Date): TakenNotification[] {
    const share = this.#shares.get(tenant);
    if (share === undefined) return [];
    const taken = share.notifications.splice(0);
    this.#held -= taken.length;
    this.#forgetEmpty(tenant, share);
    return taken.filter(({ next_try_at: leaseEnd }) => leaseEnd > now);
  }

  #forgetEmpty(tenant: TenantId, share: Share): void {
    if (share.reserved === 0 && share.notifications.length === 0) this.#shares.delete(tenant);
  }
}
