import { ApiError, type Provider } from '@till/contract';
import { tenantOf } from '../accounts/context.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import type { NotificationIntake, NotificationRequest } from '../processors/port/notifications.ts';
import type { Account, IntakeDependencies } from './dependencies.ts';
import { sealNotification } from './sealed.ts';

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
  const account = /^acct_[a-z0-9]{24}$/.test(accountId) ? await deps.findAccount(accountId) : undefined;
  if (account?.processor !== processor) {
    throw new ApiError('not_found', 'There is no account of this processor under this address.');
  }
  const verified = await verify(deps, processor, accountId, request);
  if (verified.kind !== 'accepted') {
    deps.count(processor, verified.kind);
    deps.onTrouble(`notification ${verified.kind}`, { accountId, processor, detail: verified.reasons });
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
      return { ...intake, livemode, identity, receipt: port.notificationReceipt };
    }
    if ('answer' in intake) kind = 'unverifiable';
    reasons.push(`${livemode ? 'live' : 'test'}: ${intake.reason}`);
  }
  return { kind, reasons: reasons.join('; ') };
}

async function keep(
  deps: IntakeDependencies,
  account: Account,
  { livemode, identity, notifications }: Extract<Verified, { kind: 'accepted' }>,
): Promise<void> {
  const receivedAt = deps.clock.now();
  const { processor } = account;
  const source = { ...tenantOf(account, livemode), processor };
  const kept = await Promise.all(
    notifications.map(async (notification) =>
      deps.store.keep({
        tenant: source.tenant,
        processor,
        ...(await sealNotification(deps.vault, source, notification)),
        processorIdentity: identity,
        receivedAt,
      }),
    ),
  );
  for (const isNew of kept) deps.count(processor, isNew ? 'accepted' : 'duplicate');
  if (kept.includes(true)) deps.onStored();
}
