import type { Provider } from '@till/contract';
import type { Tenant, TenantId } from '../store/tenant.ts';
import type { Lease, TakenNotification } from './store.ts';

/** Room for one notification that this process applies as soon as it is kept. */
export interface Reservation {
  /** With which it is kept, so that no other process takes it. */
  readonly lease: Lease;
  /** It is kept and waits to be applied. */
  readonly fill: (notification: TakenNotification) => void;
  /** It was a repeat, or was not kept. */
  readonly cancel: () => void;
}

/** One tenant's share is applied at once; more than both numbers waits in the database until it is taken. */
const maxPerTenant = 50;
const maxTotal = 1000;

interface Share {
  reserved: number;
  readonly notifications: TakenNotification[];
}

/**
 * Notifications that were kept under a lease of this process and wait in its memory, so that they need not be looked for and
 * taken. Where the process ends first, its leases end with it and they are due again.
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

  /** @returns undefined where there is no room: it is to be kept as due */
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

  /** What waits of one tenant, in the order in which it came, without what another process may have taken by now. */
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
