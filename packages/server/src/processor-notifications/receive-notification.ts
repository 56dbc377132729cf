import { ApiError, type Provider } from '@till/contract';
import { type AccountIdentity, tenantOf } from '../accounts/context.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import type { NotificationIntake, NotificationRequest } from '../processors/port/notifications.ts';
import type { Tenant } from '../store/tenant.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { sealNotification } from './sealed.ts';
import type { Lease, NewNotification, TakenNotification } from './store.ts';

type Accepted = Extract<NotificationIntake, { kind: 'accepted' }>['notifications'];

interface Delivery extends NotificationRequest {
  /**
   * How the request is suspended while it waits for the processor; absent: the request holds no place that it could give up.
   */
  readonly suspend?: Suspend;
}

/** Result of verifying a notification: the mode of the connection that verified it, or why none did. */
type Verified =
  | {
      readonly kind: 'accepted';
      readonly livemode: boolean;
      readonly identity: string;
      readonly notifications: Accepted;
      readonly receipt: string;
    }
  | { readonly kind: 'refused' | 'unverifiable'; readonly reasons: string };

/**
 * Receives a notification request from the account's processor: verifies it and stores each notification in it once. The
 * effects are applied later, so that the processor gets its response at once and a fault of ours loses nothing.
 * @returns the response body for the processor
 * @throws ApiError `not_found` for an account that is unknown or has another processor, `invalid_signature`,
 * `provider_unavailable` if it could not be verified now and has to be sent again
 */
export async function receiveNotification(
  deps: IntakeDependencies,
  processor: Provider,
  accountId: string,
  request: Delivery,
): Promise<string> {
  const account = /^acct_[a-z0-9]{24}$/.test(accountId) ? await deps.identify(accountId) : undefined;
  if (account?.processor !== processor) {
    throw new ApiError('not_found', 'There is no account of this processor under this address.');
  }
  const verified = await verify(deps, processor, accountId, request);
  if (verified.kind !== 'accepted') {
    deps.count(processor, verified.kind);
    deps.onIncident(`notification ${verified.kind}`, { accountId, processor, detail: verified.reasons });
    throw verified.kind === 'refused'
      ? new ApiError('invalid_signature', "This does not come from the account's processor.")
      : new ApiError('provider_unavailable', 'This could not be verified now: send it again.');
  }
  await keep(deps, account, verified);
  return verified.receipt;
}

/** Tries the connection of test mode, then that of live mode. Their secrets differ, so at most one accepts. */
async function verify(
  { connect }: IntakeDependencies,
  processor: Provider,
  accountId: string,
  { suspend, ...request }: Delivery,
): Promise<Verified> {
  let kind: 'refused' | 'unverifiable' = 'refused';
  const reasons: string[] = [];
  for (const livemode of [false, true]) {
    const connected = connect({ accountId, livemode, processor, suspend });
    if (connected === undefined) continue;
    const { port, connection, identity } = connected;
    const intake = await port.receiveNotification(connection, request);
    if (intake.kind === 'accepted') {
      return { livemode, identity, receipt: port.notificationReceipt, ...intake };
    }
    if ('answer' in intake) kind = 'unverifiable';
    reasons.push(`${livemode ? 'live' : 'test'}: ${intake.reason}`);
  }
  return { kind, reasons: reasons.join('; ') };
}

async function keep(
  deps: IntakeDependencies,
  account: AccountIdentity,
  { livemode, identity, notifications }: Extract<Verified, { kind: 'accepted' }>,
): Promise<void> {
  const receivedAt = deps.clock.now();
  const { processor } = account;
  const source = { processor, ...tenantOf(account, livemode) };
  const kept = await Promise.all(
    notifications.map(async (notification) => {
      const sealed = await sealNotification(deps.vault, source, notification);
      return keepOne(deps, source, {
        tenant: source.tenant,
        processor,
        ...sealed,
        processorIdentity: identity,
        receivedAt,
      });
    }),
  );
  for (const { isNew } of kept) deps.count(processor, isNew ? 'accepted' : 'duplicate');
  if (kept.some(({ isNew, isTaken }) => isNew && !isTaken)) deps.onStored();
}

/** Stores a notification once, and hands a new one to this process if it has room. */
async function keepOne(
  { store, reserve }: Pick<IntakeDependencies, 'store' | 'reserve'>,
  tenant: Tenant,
  notification: Omit<NewNotification, 'lease'>,
): Promise<{ readonly isNew: boolean; readonly isTaken: boolean }> {
  const reservation = reserve?.(tenant);
  let isNew = false;
  try {
    isNew = await store.keep({ lease: reservation?.lease ?? null, ...notification });
    return { isNew, isTaken: reservation !== undefined };
  } finally {
    if (isNew) reservation?.fill(takenAs(notification, reservation.lease));
    else reservation?.cancel();
  }
}

/** The row that was just stored. */
const takenAs = (
  {
    tenant,
    processor,
    id,
    type,
    body,
    keyVersion,
    processorIdentity,
    receivedAt,
  }: Omit<NewNotification, 'lease'>,
  lease: Lease,
): TakenNotification => ({
  tenant,
  processor,
  id,
  type,
  state: 'received',
  tries: 1,
  received_at: receivedAt,
  next_try_at: lease.until,
  applied_at: null,
  processor_identity: processorIdentity,
  body,
  key_version: keyVersion,
});
