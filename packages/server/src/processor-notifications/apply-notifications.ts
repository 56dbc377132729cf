import { backgroundContext } from '../accounts/context.ts';
import type { ApplyParts } from './parts.ts';
import { openNotification } from './sealed.ts';
import type { NotificationTenant, TakenNotification } from './store.ts';

/**
 * How long to wait after each try; after the last of them always as long. Soon at first: most often a request about the
 * same payment is still running.
 */
const retrySeconds = [1, 2, 5, 10, 20, 60, 300, 1800, 3600];
const mostTries = 20;
const mostTenants = 200;
/** How many of one account and mode in one run, so that a flood for one does not keep the others waiting. */
const mostPerTenant = 500;
/** Accounts at the same time: one slow processor must not hold the others up. */
const atOnce = 10;

/**
 * Applies the notifications that are due, those of one account and mode in the order in which they came. One that
 * cannot be applied is tried again later, up to 20 times; after that it is parked until an operator asks again.
 * @returns how many were applied
 */
export async function applyNotifications(parts: ApplyParts): Promise<number> {
  const now = parts.clock.now();
  await parts.store.releaseAbandoned(now);
  const waiting = await parts.store.tenantsDue(now, mostTenants);
  const applied: number[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      applied.push(await applyThoseOf(parts, next));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return applied.reduce((sum, count) => sum + count, 0);
}

async function applyThoseOf(parts: ApplyParts, tenant: NotificationTenant): Promise<number> {
  let applied = 0;
  for (let taken = 0; taken < mostPerTenant; taken += 1) {
    const options = { now: parts.clock.now(), lease: parts.lease(), mostTries };
    const notification = await parts.store.takeNext(tenant, options);
    if (notification === undefined) return applied;
    if (await applyOne(parts, notification)) applied += 1;
  }
  return applied;
}

async function applyOne(parts: ApplyParts, notification: TakenNotification): Promise<boolean> {
  if (notification.state === 'parked') {
    parts.onTrouble('notification parked', labelOf(notification));
    return false;
  }
  const done = await carryOut(parts, notification).catch((error: unknown) => {
    parts.onTrouble('notification not applied', labelOf(notification), error);
    return false;
  });
  const now = parts.clock.now();
  if (done) await parts.store.markApplied(notification, now);
  else await parts.store.tryAgain(notification, nextTry(notification.tries, now));
  return done;
}

/** After the last try it is due at once, which parks it. @param tries how many there were */
function nextTry(tries: number, now: Date): Date {
  const seconds = tries >= mostTries ? 0 : (retrySeconds[Math.min(tries, retrySeconds.length) - 1] ?? 0);
  return new Date(now.getTime() + seconds * 1000);
}

async function carryOut(parts: ApplyParts, notification: TakenNotification): Promise<boolean> {
  const { account_id: accountId, livemode, processor } = notification;
  const account = await parts.findAccount(accountId);
  const connected = parts.connect({ accountId, livemode, processor });
  if (account === undefined || connected === undefined) throw new Error('no way to its processor');
  const { port, connection } = connected;
  const effects = await port.interpretNotification(
    connection,
    await openNotification(parts.vault, notification),
  );
  if ('answer' in effects) {
    parts.onTrouble(`notification not understood now: ${effects.reason}`, labelOf(notification));
    return false;
  }
  const context = backgroundContext(account, livemode, parts.clock.now());
  for (const effect of effects) {
    if ((await parts.apply(context, effect)) === 'later') return false;
  }
  return true;
}

const labelOf = ({ account_id: accountId, livemode, processor, type, id }: TakenNotification) => ({
  accountId,
  livemode,
  processor,
  detail: `${type} ${id}`,
});
