import type { Provider } from '@till/contract';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { FairSweep, type Sweep } from '../jobs/fair-sweep.ts';
import { forEachConcurrently } from '../lib/for-each-concurrently.ts';
import { connectionOf } from '../processors/port/connected.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import type { ApplyDependencies } from './dependencies.ts';
import { openNotification } from './sealed.ts';
import type { TakenNotification } from './store.ts';

/**
 * Delay after each try; the last value also applies to all later tries. The first delays are short, because most often a
 * request about the same payment is still running.
 */
const retrySeconds = [1, 2, 5, 10, 20, 60, 300, 1800, 3600];
const maxTries = 20;
const maxTaken = 50;
/** How many notifications that were tried before are applied each time an account is served. They are taken one by one. */
const maxTried = 10;
/** How many accounts are served at the same time. */
const accountsAtOnce = 32;
/** How many subjects of one account are handled at the same time. */
const subjectsAtOnce = 16;

export interface NotificationQueue extends Sweep {
  /** Applies the due notifications of one account and mode. @returns how many were applied meanwhile */
  applyTenant(tenant: Tenant): Promise<number>;
  /** Called when the inbox holds a notification of this tenant. */
  onFilled(tenant: Tenant): void;
}

/**
 * Applies the due notifications; those about one payment in the order in which they arrived. A notification that cannot be
 * applied is retried later, up to 20 times, and is then parked until an operator retries it. Accounts are served round robin,
 * each one once at a time, so neither a flood for one account nor a slow processor delays the others.
 * @param processor only this processor's notifications; null: those of all processors
 */
export function notificationQueue(
  deps: ApplyDependencies,
  processor: Provider | null = null,
): NotificationQueue {
  const { store, clock } = deps;
  const applied = new Map<TenantId, number>();
  const countOf = ({ tenant }: Tenant) => applied.get(tenant) ?? 0;
  /** Tenants with notifications to be taken from the database, not only from the inbox. */
  const due = new Set<TenantId>();
  const dueTenants = async (after: Tenant, max: number) => {
    const tenants = await store.tenantsDue({ now: clock.now(), after, max, processor });
    for (const { tenant } of tenants) due.add(tenant);
    return tenants;
  };
  const queue: FairSweep<Tenant> = new FairSweep<Tenant>({
    places: accountsAtOnce,
    perTenant: 1,
    dueTenants,
    take: async (tenant) => ({ rows: [tenant], more: false }),
    async work(tenant) {
      let count = await applyAll(deps, tenant, deps.inbox?.take(tenant, clock.now()) ?? []);
      if (due.delete(tenant.tenant)) {
        const served = await applySome(deps, tenant);
        count += served.applied;
        if (served.more) add(tenant);
      }
      applied.set(tenant.tenant, countOf(tenant) + count);
    },
    onError: (error, { accountId }) => deps.onFailure(error, accountId),
  });
  const add = (tenant: Tenant) => {
    due.add(tenant.tenant);
    queue.add(tenant);
  };
  const release = () => store.releaseAbandoned(clock.now());
  const sum = () => [...applied.values()].reduce((all, count) => all + count, 0);
  return {
    async poll() {
      await release();
      await queue.poll();
    },
    async run() {
      const before = sum();
      await release();
      await queue.run();
      return sum() - before;
    },
    stop: () => queue.stop(),
    onFilled: (tenant) => queue.add(tenant),
    async applyTenant(tenant) {
      const before = countOf(tenant);
      due.add(tenant.tenant);
      await queue.drain(tenant);
      return countOf(tenant) - before;
    },
  };
}

/** Applies all due notifications. @returns how many were applied */
export const applyNotifications = (deps: ApplyDependencies): Promise<number> => notificationQueue(deps).run();

/** Serves an account once: applies its new notifications, then some that were tried before. */
async function applySome(
  deps: ApplyDependencies,
  tenant: Tenant,
): Promise<{ readonly applied: number; readonly more: boolean }> {
  const options = () => ({ now: deps.clock.now(), lease: deps.lease(), maxTries });
  const fresh = await deps.store.takeNew(tenant, options(), maxTaken);
  let applied = await applyAll(deps, tenant, fresh);
  for (let taken = 0; taken < maxTried; taken += 1) {
    const tried = await deps.store.takeTriedOne(tenant, options());
    if (tried === undefined) return { applied, more: fresh.length === maxTaken };
    applied += await applyAll(deps, tenant, [tried]);
  }
  return { applied, more: true };
}

/** A notification with its meaning; undefined if it cannot be interpreted now. */
interface Read {
  readonly notification: TakenNotification;
  readonly meaning: Meaning | undefined;
}

interface Meaning {
  readonly context: AccountContext;
  readonly effects: readonly NotificationEffect[];
}

async function applyAll(
  deps: ApplyDependencies,
  tenant: Tenant,
  taken: readonly TakenNotification[],
): Promise<number> {
  const bySubject = new Map<string, Read[]>();
  const add = (one: Read) => {
    const subject = subjectOf(one.meaning?.effects ?? []);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), one]);
  };
  const meanings = new Map<TakenNotification, Meaning | undefined>();
  await forEachConcurrently(taken, subjectsAtOnce, async (notification) => {
    if (notification.state === 'parked') {
      deps.onIncident('notification parked', labelOf(tenant, notification));
    } else {
      meanings.set(
        notification,
        await reportFailure(deps, tenant, notification, read(deps, tenant, notification)),
      );
    }
  });
  for (const notification of taken) {
    if (meanings.has(notification)) add({ notification, meaning: meanings.get(notification) });
  }
  let applied = 0;
  await forEachConcurrently([...bySubject.values()], subjectsAtOnce, async (group) => {
    for (const one of group) if (await applyOne(deps, tenant, one)) applied += 1;
  });
  return applied;
}

/**
 * The group of notifications that must be applied one after the other: those about one payment or refund of ours. All
 * notifications without such an id form one group.
 */
function subjectOf(effects: readonly NotificationEffect[]): string {
  const [subject, ...more] = new Set(effects.map(idOf));
  return more.length === 0 ? (subject ?? '') : '';
}

/** Our id of an effect's subject. It is the refund's id if the processor does not repeat the payment's. */
function idOf(effect: NotificationEffect): string | null {
  const paymentId = 'paymentId' in effect ? effect.paymentId : null;
  return effect.kind === 'refund_settled' ? (paymentId ?? effect.refundId) : paymentId;
}

async function applyOne(
  deps: ApplyDependencies,
  tenant: Tenant,
  { notification, meaning }: Read,
): Promise<boolean> {
  const done =
    meaning !== undefined &&
    (await reportFailure(deps, tenant, notification, applyEffects(deps, meaning, notification))) === true;
  const now = deps.clock.now();
  if (done) await deps.store.markApplied(notification, now);
  else await deps.store.tryAgain(notification, nextTry(notification.tries, now));
  return done;
}

/** A notification that fails is logged and retried; it must not hold up the others. */
const reportFailure = <Out>(
  deps: ApplyDependencies,
  tenant: Tenant,
  notification: TakenNotification,
  work: Promise<Out>,
) =>
  work.catch((error: unknown) => {
    deps.onIncident('notification not applied', labelOf(tenant, notification), error);
    return undefined;
  });

/** Time of the next try. After the last try it is now, which parks the notification. @param tries number of tries so far */
function nextTry(tries: number, now: Date): Date {
  const seconds = tries >= maxTries ? 0 : (retrySeconds[Math.min(tries, retrySeconds.length) - 1] ?? 0);
  return new Date(now.getTime() + seconds * 1000);
}

/** Interprets a notification. @returns undefined if the processor had to be asked and did not answer */
async function read(
  deps: ApplyDependencies,
  tenant: Tenant,
  notification: TakenNotification,
): Promise<Meaning | undefined> {
  const { accountId, livemode } = tenant;
  const { processor } = notification;
  const account = await deps.findAccount(accountId);
  const connected = connectionOf(deps, { accountId, livemode, processor }, notification);
  if (account === undefined || connected === undefined) throw new Error('no way to its processor');
  const { port, connection } = connected;
  const effects = await port.interpretNotification(
    connection,
    await openNotification(deps.vault, tenant, notification),
  );
  if ('answer' in effects) {
    deps.onIncident(`notification not understood now: ${effects.reason}`, labelOf(tenant, notification));
    return undefined;
  }
  return { context: backgroundContext(account, livemode, deps.clock.now()), effects };
}

async function applyEffects(
  deps: ApplyDependencies,
  { context, effects }: Meaning,
  { processor_identity: sender }: TakenNotification,
): Promise<boolean> {
  for (const effect of effects) {
    if ((await deps.apply(context, effect, sender)) === 'later') return false;
  }
  return true;
}

const labelOf = ({ accountId, livemode }: Tenant, { processor, type, id }: TakenNotification) => ({
  accountId,
  livemode,
  processor,
  detail: `${type} ${id}`,
});
