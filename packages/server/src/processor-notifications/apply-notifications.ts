import type { Provider } from '@till/contract';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { FairSweep, type Sweep } from '../jobs/fair-sweep.ts';
import { eachOf } from '../lib/each-of.ts';
import { connectionOf } from '../processors/port/connected.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import type { ApplyDependencies } from './dependencies.ts';
import { openNotification } from './sealed.ts';
import type { TakenNotification } from './store.ts';

/**
 * How long to wait after each try; after the last of them always as long. Soon at first: most often a request about the
 * same payment is still running.
 */
const retrySeconds = [1, 2, 5, 10, 20, 60, 300, 1800, 3600];
const maxTries = 20;
const maxTaken = 50;
/** How many that were tried before are applied each time an account is served: they are taken one by one. */
const maxTried = 10;
/** Accounts at the same time. */
const places = 32;
/** Subjects of one account at the same time. */
const subjectsAtOnce = 16;

export interface NotificationQueue extends Sweep {
  /** Applies what is due of one account and mode. @returns how many were applied meanwhile */
  applyOf(tenant: Tenant): Promise<number>;
  /** The inbox holds something of this tenant. */
  onFilled(tenant: Tenant): void;
}

/**
 * Applies the notifications that are due, those about one payment in the order in which they came. One that cannot be
 * applied is tried again later, up to 20 times; after that it is parked until an operator asks again. Accounts are served round robin,
 * each with one at a time: neither a flood for one nor a slow processor keeps the others waiting.
 * @param processor whose notifications; null: those of all
 */
export function notificationQueue(
  deps: ApplyDependencies,
  processor: Provider | null = null,
): NotificationQueue {
  const { store, clock } = deps;
  const applied = new Map<TenantId, number>();
  const countOf = ({ tenant }: Tenant) => applied.get(tenant) ?? 0;
  /** Of whom something is to be taken from the database, not only from the inbox. */
  const due = new Set<TenantId>();
  const dueTenants = async (after: Tenant, max: number) => {
    const tenants = await store.tenantsDue({ now: clock.now(), after, max, processor });
    for (const { tenant } of tenants) due.add(tenant);
    return tenants;
  };
  const queue: FairSweep<Tenant> = new FairSweep<Tenant>({
    places,
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
    async applyOf(tenant) {
      const before = countOf(tenant);
      due.add(tenant.tenant);
      await queue.drain(tenant);
      return countOf(tenant) - before;
    },
  };
}

/** Applies everything that is due. @returns how many were applied */
export const applyNotifications = (deps: ApplyDependencies): Promise<number> => notificationQueue(deps).run();

/** Serves an account once. */
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

/** What a notification means, or why that cannot be read now. */
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
  await eachOf(taken, subjectsAtOnce, async (notification) => {
    if (notification.state === 'parked') {
      deps.onIncident('notification parked', labelOf(tenant, notification));
    } else {
      meanings.set(
        notification,
        await orIncident(deps, tenant, notification, read(deps, tenant, notification)),
      );
    }
  });
  for (const notification of taken) {
    if (meanings.has(notification)) add({ notification, meaning: meanings.get(notification) });
  }
  let applied = 0;
  await eachOf([...bySubject.values()], subjectsAtOnce, async (group) => {
    for (const one of group) if (await applyOne(deps, tenant, one)) applied += 1;
  });
  return applied;
}

/** What may be applied beside others: one payment or refund of ours. All others wait for each other. */
function subjectOf(effects: readonly NotificationEffect[]): string {
  const [subject, ...more] = new Set(effects.map(idOf));
  return more.length === 0 ? (subject ?? '') : '';
}

/** Our id of what an effect is about: a refund's where the processor does not repeat the payment's. */
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
    (await orIncident(deps, tenant, notification, carryOut(deps, meaning, notification))) === true;
  const now = deps.clock.now();
  if (done) await deps.store.markApplied(notification, now);
  else await deps.store.tryAgain(notification, nextTry(notification.tries, now));
  return done;
}

/** One that fails is logged and tried again; it must not keep the others back. */
const orIncident = <Out>(
  deps: ApplyDependencies,
  tenant: Tenant,
  notification: TakenNotification,
  work: Promise<Out>,
) =>
  work.catch((error: unknown) => {
    deps.onIncident('notification not applied', labelOf(tenant, notification), error);
    return undefined;
  });

/** After the last try it is due at once, which parks it. @param tries how many there were */
function nextTry(tries: number, now: Date): Date {
  const seconds = tries >= maxTries ? 0 : (retrySeconds[Math.min(tries, retrySeconds.length) - 1] ?? 0);
  return new Date(now.getTime() + seconds * 1000);
}

/** @returns undefined where the processor has to be asked and did not answer */
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

async function carryOut(
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
