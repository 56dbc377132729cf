import type { AccountContext } from '../accounts/context.ts';
import { findCustomer } from '../customers/customers.ts';
import type { Sweep } from '../jobs/fair-sweep.ts';
import type { OpenOperation } from '../operations/operation.ts';
import { operationRecovery, type Recoveries } from '../operations/recover.ts';
import { nextTry } from '../operations/retry-plan.ts';
import { connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import {
  forgetInstrument,
  isMethodId,
  methodNotFound,
  openToken,
  type PaymentMethodDependencies,
} from './payment-methods.ts';
import type { PaymentMethodRow } from './row.ts';

/**
 * Removes a saved method: from this commit on no payment begins with it and no retry charges it; one that waits for its
 * buyer goes on. The upstream is asked at once to forget it as well; where that fails recovery asks again.
 * @param customerId whose it must be; null: anybody's of this account
 * @throws ApiError `not_found`, also where it was removed before
 */
export async function removePaymentMethod(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  id: string,
  customerId: string | null,
) {
  const named =
    customerId === null || (await findCustomer(deps.customers, context, customerId)) !== undefined;
  const lease = deps.lease();
  const upstreamKey = `${id}:r`;
  const asked = { upstream_key: upstreamKey, lease_until: lease.until };
  const request = { id, customerId, upstreamKey, lease, at: context.now };
  const removed = named && isMethodId(id) ? await deps.store.remove(context, request) : undefined;
  if (removed === undefined) throw methodNotFound();
  const reportIncident = (error: unknown) => {
    deps.onIncident(context, 'not removed at the processor yet', removed, error);
    return false;
  };
  const isOver = await removeUpstream(deps, context, removed, asked).catch(reportIncident);
  // The removal is committed, so it is what the request is answered with; a lease that nobody gives back ends by itself.
  if (!isOver) {
    const soon = nextTry(deps, 0);
    await deps.operations.leaveUnknown(removed, lease.until, soon, context.suspend).catch(reportIncident);
  }
  return { id, object: 'payment_method' as const, deleted: true as const };
}

/** How the removal of a method that the upstream did not forget yet is recovered. */
export const removalRecoveries = (deps: PaymentMethodDependencies) =>
  ({
    async remove(operation, context) {
      const { subject } = operation;
      const method = await deps.store.find(context, subject);
      if (method === undefined) throw new Error(`${subject} is gone`);
      return removeUpstream(deps, context, method, operation);
    },
  }) satisfies Recoveries;

/** Looks at the removals alone. */
export const removalRecovery = (deps: PaymentMethodDependencies): Sweep =>
  operationRecovery(deps, removalRecoveries(deps));

/** Asks about everything that is due. @returns how many methods */
export const recoverRemovals = (deps: PaymentMethodDependencies): Promise<number> =>
  removalRecovery(deps).run();

/**
 * Asks the upstream to forget a removed method, unless another one stands under the same token: the last one that is
 * removed ends it upstream.
 * @returns whether the operation is over
 */
async function removeUpstream(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  method: PaymentMethodRow,
  { upstream_key: upstreamKey, lease_until: leaseUntil }: Pick<OpenOperation, 'upstream_key' | 'lease_until'>,
): Promise<boolean> {
  const isShared = await deps.store.isTokenShared(method);
  const failure = isShared ? null : await askToForget(deps, context, method, upstreamKey);
  if (failure === null) await deps.operations.end(method, leaseUntil, context.suspend);
  else deps.onIncident(context, `not removed at the processor yet: ${failure}`, method);
  return failure === null;
}

/** @returns why it was not forgotten; null where it was */
async function askToForget(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  method: PaymentMethodRow,
  upstreamKey: string,
): Promise<string | null> {
  const { accountId, livemode, suspend } = context;
  const { provider: processor, processor_identity: sender } = method;
  // Another merchant account does not know the token: its "not found" removes nothing.
  const connected = connectionOf(deps, { accountId, livemode, processor }, method);
  if (connected === undefined) return waitsForConnection;
  const token = await openToken(deps, context, method);
  const begunAt = deps.clock.now().getTime();
  const outcome = await connected.port.removeInstrument(connected.connection, {
    token,
    customerId: method.customer_id,
    upstreamKey,
  });
  if (outcome.kind !== 'removed') return outcome.reason;
  // What was saved there while it was asked is gone as well.
  const at = new Date(context.now.getTime() + deps.clock.now().getTime() - begunAt);
  await deps.operations.pastFence(() => forgetInstrument(deps, context, { token, sender, at }), suspend);
  return null;
}
