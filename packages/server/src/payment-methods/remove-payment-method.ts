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
 * Removes a saved method. From this commit on no payment begins with it and no retry charges it; a payment that waits for its
 * buyer continues. The upstream is asked at once to forget the method too; if that fails, recovery asks again.
 * @param customerId the customer to whom the method has to belong; null: any customer of this account
 * @throws ApiError `not_found`, also if it was removed before
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
  // The removal is committed, so the request succeeds whatever happens now. If this write fails, the lease ends by itself.
  if (!isOver) {
    const soon = nextTry(deps, 0);
    await deps.operations.leaveUnknown(removed, lease.until, soon, context.suspend).catch(reportIncident);
  }
  return { id, object: 'payment_method' as const, deleted: true as const };
}

/** How removals are recovered that the upstream has not carried out yet. */
export const removalRecoveries = (deps: PaymentMethodDependencies) =>
  ({
    async remove(operation, context) {
      const { subject } = operation;
      const method = await deps.store.find(context, subject);
      if (method === undefined) throw new Error(`${subject} is gone`);
      return removeUpstream(deps, context, method, operation);
    },
  }) satisfies Recoveries;

/** Recovery of removals only. */
export const removalRecovery = (deps: PaymentMethodDependencies): Sweep =>
  operationRecovery(deps, removalRecoveries(deps));

/** Recovers all removals that are due. @returns how many it looked at */
export const recoverRemovals = (deps: PaymentMethodDependencies): Promise<number> =>
  removalRecovery(deps).run();

/**
 * Asks the upstream to forget a removed method, unless another method has the same token: only the removal of the last one
 * deletes the token upstream.
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

/** @returns why the upstream did not forget it; null if it did */
async function askToForget(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  method: PaymentMethodRow,
  upstreamKey: string,
): Promise<string | null> {
  const { accountId, livemode, suspend } = context;
  const { provider: processor, processor_identity: sender } = method;
  // Another merchant account does not know the token, so its "not found" would not mean that the token is deleted.
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
  // The time of the answer, not of the request: a method saved there while we asked is gone as well.
  const at = new Date(context.now.getTime() + deps.clock.now().getTime() - begunAt);
  await deps.operations.pastFence(() => forgetInstrument(deps, context, { token, sender, at }), suspend);
  return null;
}
