import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairSweep, perProcessor, type Sweep } from '../../jobs/fair-sweep.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { isWindowOver, type PaymentRow, type ShownPayment } from '../payment.ts';
import { requirePayment, requireShownPayment } from '../reads.ts';
import { expiryCode, failed, settlePayment } from '../settle-payment.ts';
import { cancelUpstream } from './cancel.ts';
import { takeOverduePayments, tenantsWithOverduePayments } from './overdue-payments.ts';
import { cancelKey } from './payment-access.ts';
import { beginUnasked } from './recovery.ts';

/** How many payments expire at the same time, for each processor. */
const places = 32;
/** How long a reader waits for the commit of a concurrent expiry. If its process has died, the lease lasts longer than this. */
const maxWaitMs = 2_000;

/**
 * Fails a payment that still waits for its buyer after the window, and returns any other unchanged. While another operation of
 * the payment is open, it stays as it is, since the outcome of that operation is not known yet.
 */
export async function expireIfOverdue(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
): Promise<PaymentRow> {
  return isWindowOver(payment, context.now) ? giveUpPayment(deps, context, payment) : payment;
}

/**
 * Fails a payment that waits for its buyer, whether or not its window is over, for example because the buyer begins anew. What
 * the upstream might still carry out is cancelled. While another operation of the payment is open, it stays as it is.
 */
export async function giveUpPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
): Promise<PaymentRow> {
  if (payment.status !== 'requires_action') return payment;
  const leaseUntil = await beginUnasked(deps, context, payment, 'expire', `${payment.id}:x`);
  return leaseUntil === undefined ? payment : finishExpiry(deps, context, payment.id, leaseUntil);
}

/** Finishes an expiry that this process holds: fails the payment, and cancels what the upstream might still carry out. */
export async function finishExpiry(
  deps: PaymentDependencies,
  context: AccountContext,
  paymentId: string,
  leaseUntil: Date,
): Promise<PaymentRow> {
  const payment = await deps.store.find(context, paymentId);
  if (payment === undefined) throw new Error(`${paymentId} is gone`);
  if (payment.status !== 'requires_action') {
    await deps.operations.end(payment, leaseUntil, context.suspend);
    return payment;
  }
  const after = failed(payment, expiryCode(payment));
  await settlePayment(deps, context, { before: payment, after, claim: null, cancelKey: cancelKey(payment) });
  deps.waits.ended(payment.id);
  const current = (await deps.store.find(context, paymentId)) ?? after;
  const open = await deps.operations.takeOver(current, ['cancel'], deps.lease(), deps.clock.now());
  if (open !== undefined) {
    const { upstream_key: upstreamKey, lease_until } = open;
    await cancelUpstream(deps, context, current, { upstreamKey, tries: 0, leaseUntil: lease_until });
  }
  return current;
}

/** Sweep that fails the payments whose window is over. @param only limits it to one tenant; absent: all accounts */
export function paymentExpiry(deps: PaymentDependencies, only?: Tenant): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithOverduePayments(db);
  return perProcessor(
    (processor) =>
      new FairSweep<PaymentRow>({
        places,
        dueTenants: (after, max) => due({ now: clock.now(), after, max, processor, only }),
        async take(tenant, max) {
          const rows = await takeOverduePayments(db, tenant, { now: clock.now(), max });
          return { rows, more: rows.length === max };
        },
        work: (payment, tenant) => expireOne(deps, tenant, payment),
        onError: (error, tenant) => deps.onIncident(tenant, 'payments could not be expired', null, error),
      }),
  );
}

/** Fails all payments whose window is over. @param only limits it to one tenant @returns how many payments it looked at */
export const expirePayments = (deps: PaymentDependencies, only?: Tenant): Promise<number> =>
  paymentExpiry(deps, only).run();

async function expireOne(deps: PaymentDependencies, tenant: Tenant, payment: PaymentRow): Promise<void> {
  try {
    const account = await findAccount(deps.db, tenant.accountId);
    if (account === undefined) return;
    await expireIfOverdue(deps, backgroundContext(account, tenant.livemode, deps.clock.now()), payment);
  } catch (error) {
    deps.onIncident(tenant, 'a payment could not be expired', payment, error);
  }
}

/**
 * Reads a payment. If its confirmation window is over it has failed: this read fails it, or waits for the commit if the sweep is
 * just failing it, so that the result does not depend on which of the two came first.
 * @throws ApiError `not_found`
 */
export async function retrievePayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  const { clock, operations, store, waits } = deps;
  const payment = await expireIfOverdue(deps, context, await requirePayment(store, context, id));
  if (!isOverdue(payment, context)) return payment;
  const isOver = async () => !(await operations.isOpen(payment, ['expire']));
  if (!(await isOver())) {
    await waits.wait({
      accountId: context.accountId,
      id,
      suspend: context.suspend,
      deadline: clock.elapsed() + maxWaitMs,
      isOver,
    });
  }
  return requirePayment(store, context, id);
}

/** Like `retrievePayment`, with only the columns that the API shows. @throws ApiError `not_found` */
export async function retrieveShownPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): Promise<ShownPayment> {
  const shown = await requireShownPayment(deps.store, context, id);
  return isOverdue(shown, context) ? retrievePayment(deps, context, id) : shown;
}

const isOverdue = (payment: Pick<PaymentRow, 'status' | 'confirm_by'>, { now }: AccountContext): boolean =>
  payment.status === 'requires_action' && isWindowOver(payment, now);
