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
  /** How the request that brings it waits for the processor; absent: it holds no place that it could leave to others. */
  readonly suspend?: Suspend;
}

/** Who vouches for a delivery: the mode whose connection verified it, or why none did. */
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
 * Takes a delivery of the account's processor: verifies it and keeps each notification in it once. What it means is
 * applied later, so that the processor has its answer at once and a fault of ours loses nothing.
 * @returns what to answer the processor with
 * @throws ApiError `not_found` for an account that is unknown or has another processor, `invalid_signature`,
 *   `provider_unavailable` where it could not be verified now and has to be sent again
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

/** Tries the connection of test mode, then that of live mode: the secrets of both differ, so one at most accepts. */
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

/** Keeps it once, and hands what is new to this process where it has room. */
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

/** The row that was just kept. */
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
