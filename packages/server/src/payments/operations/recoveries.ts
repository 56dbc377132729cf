import type { Sweep } from '../../jobs/fair-sweep.ts';
import { recoverByAsking } from '../../operations/ask.ts';
import { operationRecovery, type Recover, type Recoveries } from '../../operations/recover.ts';
import { connectionOf, waitsForConnection } from '../../processors/port/connected.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { recoverCancel } from './cancel.ts';
import { capture } from './capture.ts';
import { endUnprocessed, recoverCharge } from './charge.ts';
import { recoverConfirm } from './confirm.ts';
import { finishExpiry } from './expire.ts';
import { type PaymentOperation, paymentAccess } from './payment-access.ts';
import type { Recovery } from './recovery.ts';
import { voidHold } from './void.ts';

export type PaymentOperationKind = keyof ReturnType<typeof paymentRecoveries>;

/** How unanswered operations on payments are recovered. */
export function paymentRecoveries(deps: PaymentDependencies) {
  const withPayment =
    (recover: (recovery: Recovery) => Promise<boolean | Date>): Recover =>
    async (operation, context) => {
      const payment = await deps.store.find(context, operation.subject);
      if (payment === undefined) throw new Error(`${operation.subject} is gone`);
      const connected = connectionOf(deps, context, payment);
      if (connected !== undefined) return recover({ deps, context, payment, operation, connected });
      deps.onIncident(context, waitsForConnection, payment);
      return false;
    };
  return {
    charge: withPayment(recoverCharge),
    confirm: withPayment(recoverConfirm),
    capture: withPayment((recovery) => askAgain(recovery, capture)),
    void: withPayment((recovery) => askAgain(recovery, voidHold)),
    expire: withPayment(recoverExpiry),
    cancel: withPayment(recoverCancel),
  } satisfies Recoveries;
}

const askAgain = async <Outcome extends { readonly kind: string }>(
  { deps, context, payment, operation, connected }: Recovery,
  kind: PaymentOperation<Outcome>,
): Promise<boolean> =>
  (await recoverByAsking(deps, kind, paymentAccess(deps, context, payment.id), {
    context,
    subject: payment,
    connected,
    upstreamKey: operation.upstream_key,
    leaseUntil: operation.lease_until,
  })) === null;

async function recoverExpiry(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment, operation } = recovery;
  if (payment.status === 'processing') return endUnprocessed(recovery);
  await finishExpiry(deps, context, payment.id, operation.lease_until);
  return true;
}

/** Recovers all operations on payments that are due. @returns how many it looked at */
export const recoverPayments = (deps: PaymentDependencies): Promise<number> => paymentRecovery(deps).run();

export const paymentRecovery = (deps: PaymentDependencies): Sweep =>
  operationRecovery(deps, paymentRecoveries(deps));
