import type { AccountContext } from '../../accounts/context.ts';
import { raiseAlert } from '../../payment-alerts/alerts.ts';
import { connectionOf } from '../../processors/port/connected.ts';
import type { SettledOutcome, UpstreamIds } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';

/** Whether a notification names another order than the payment's. */
const namesOtherOrder = (payment: PaymentRow, { order }: UpstreamIds): boolean =>
  order !== undefined && payment.upstream.order !== undefined && order !== payment.upstream.order;

const namesOtherCapture = (payment: PaymentRow, { order, capture }: UpstreamIds): boolean =>
  order === undefined &&
  capture !== undefined &&
  payment.upstream.capture !== undefined &&
  capture !== payment.upstream.capture;

/**
 * Whether a notification about a payment that has its outcome may be about a second charge: it names another order or, of a
 * succeeded payment, another capture and no order. Only a look-up shows whose capture that is.
 */
export const mayBeSecondCharge = (payment: PaymentRow, upstream: UpstreamIds): boolean =>
  namesOtherOrder(payment, upstream) ||
  (payment.status === 'succeeded' && namesOtherCapture(payment, upstream));

/** A payment is authorised only once: money under another reference is a second charge, about which people are alerted. */
export async function warnOfSecondCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  { kind, facts }: SettledOutcome,
): Promise<void> {
  const known = payment.upstream.psp;
  const named = facts.upstream.psp;
  const isOther = known !== undefined && named !== undefined && known !== named;
  if (kind === 'declined' || !(isOther || namesOtherOrder(payment, facts.upstream))) return;
  deps.onIncident(context, 'authorised twice upstream', payment);
  await raiseAlert(deps.alerts, context, payment, 'charged_twice');
}

/**
 * Looks up another order of a settled payment, and alerts people if it took or holds money.
 * @returns false if the upstream gave no answer: the caller asks again later
 */
export async function lookForSecondCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  upstream: UpstreamIds,
): Promise<boolean> {
  const processor = connectionOf(deps, context, payment);
  if (processor === undefined) return false;
  const found = await processor.port.lookUp(processor.connection, {
    paymentId: payment.id,
    upstream,
    amount: payment.amount,
    currency: payment.currency,
    captureMethod: payment.capture_method,
  });
  if ('answer' in found) return false;
  if (found.kind !== 'succeeded' && found.kind !== 'authorized') return true;
  await warnOfSecondCharge(deps, context, payment, {
    ...found,
    facts: { ...found.facts, upstream: { ...upstream, ...found.facts.upstream } },
  });
  return true;
}
