import type { AccountContext } from '../accounts/context.ts';
import { findCustomer } from '../customers/customers.ts';
import { FairQueue, perProcessor, type Sweep } from '../jobs/fair-queue.ts';
import { connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import { isMethodId, methodNotFound, openToken, type PaymentMethodParts } from './payment-methods.ts';
import type { PaymentMethodRow } from './row.ts';

/** How many are asked about at once, for each processor. */
const places = 16;

/**
 * Removes a saved method: from this commit on nobody can charge it. The upstream is asked at once to forget it as well;
 * where that fails it is asked again later (`removeUpstream`).
 * @param customerId whose it must be; null: anybody's of this account
 * @throws ApiError `not_found`, also where it was removed before
 */
export async function removePaymentMethod(
  parts: PaymentMethodParts,
  context: AccountContext,
  id: string,
  customerId: string | null,
) {
  const named =
    customerId === null || (await findCustomer(parts.customers, context, customerId)) !== undefined;
  const removed =
    named && isMethodId(id)
      ? await parts.store.remove(context, { id, customerId, at: context.now, now: parts.clock.now() })
      : undefined;
  if (removed === undefined) throw methodNotFound();
  await removeFromUpstream(parts, removed);
  return { id, object: 'payment_method' as const, deleted: true as const };
}

/**
 * Asks the upstreams again to forget removed methods: a minute after the first try, after 5 minutes, 30 minutes, then
 * hourly until they did.
 */
export function upstreamRemovals(parts: PaymentMethodParts): Sweep {
  const { store, clock } = parts;
  return perProcessor(
    (processor) =>
      new FairQueue<PaymentMethodRow>({
        places,
        dueTenants: (after, most) => store.tenantsWithRemovals({ now: clock.now(), after, most, processor }),
        async take(tenant, most) {
          const rows = await store.takeRemovals(tenant, clock.now(), most);
          return { rows, more: rows.length === most };
        },
        work: (removal) => removeFromUpstream(parts, removal),
        onError: (error, { accountId }) =>
          parts.onTrouble('methods could not be removed', { id: '', account_id: accountId }, error),
      }),
  );
}

/** Asks about everything that is due. @returns how many methods */
export const removeUpstream = (parts: PaymentMethodParts): Promise<number> => upstreamRemovals(parts).run();

/**
 * Asks the upstream to forget a removed method, unless another one stands under the same token: the last one that is
 * removed ends it upstream. Never throws: a failure is left to the next try.
 */
async function removeFromUpstream(parts: PaymentMethodParts, method: PaymentMethodRow): Promise<void> {
  try {
    const failure = await forget(parts, method);
    if (failure !== null) parts.onTrouble(`not removed at the processor yet: ${failure}`, method);
  } catch (error) {
    parts.onTrouble('not removed at the processor yet', method, error);
  }
}

/** @returns why it was not forgotten; null where it was, or where it has to stay */
async function forget(parts: PaymentMethodParts, method: PaymentMethodRow): Promise<string | null> {
  if (await parts.store.endSharedRemoval(method)) return null;
  const { account_id: accountId, livemode, provider: processor } = method;
  // Another merchant account does not know the token: its "not found" removes nothing.
  const connected = connectionOf(parts, { accountId, livemode, processor }, method);
  if (connected === undefined) return waitsForConnection;
  const outcome = await connected.port.removeInstrument(connected.connection, {
    token: await openToken(parts, method),
    customerId: method.customer_id,
    upstreamKey: `${method.id}:r`,
  });
  if (outcome.kind !== 'removed') return outcome.reason;
  await parts.store.endRemoval(method);
  return null;
}
