import type { AccountContext } from '../../accounts/context.ts';
import type { Call, Operation } from '../../operations/operation.ts';
import type { SubjectAccess } from '../../operations/subject-access.ts';
import type { HoldRequest, LookUpRequest } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { requirePayment } from '../reads.ts';
import { descriptorOf } from '../request/charge-request.ts';
import { type PaymentChange, settlePayment, writePayment } from '../settle-payment.ts';

/** An operation on a payment. Its outcomes are those of one call of the processor port. */
export type PaymentOperation<Outcome extends { readonly kind: string }> = Operation<
  PaymentRow,
  Outcome,
  PaymentChange
>;
export type PaymentCall = Call<PaymentRow>;

/** How requests and recovery read, show and commit a payment. Its `read` throws ApiError `not_found`. */
export function paymentAccess<Outcome extends { readonly kind: string }>(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): SubjectAccess<PaymentRow, Outcome, PaymentChange> {
  return {
    noun: 'payment',
    read: () => requirePayment(deps.store, context, id),
    facts: ({ amount, currency }) => ({ amount, currency }),
    write: (payment) => writePayment(deps, context, payment),
    commit: (before, change, claim) =>
      settlePayment(deps, context, { before, ...change, claim, status: 200 }),
  };
}

/** The request to the processor to capture or void a hold. */
export const holdRequest = ({ subject: payment, upstreamKey, context }: PaymentCall): HoldRequest => ({
  paymentId: payment.id,
  upstreamKey,
  upstream: payment.upstream,
  amount: payment.amount,
  currency: payment.currency,
  statementDescriptor: descriptorOf(payment, context.processor),
  riskSession: payment.risk_session,
});

/** The request to the processor to look up a payment's present state. */
export const lookUpRequest = (payment: PaymentRow): LookUpRequest => ({
  paymentId: payment.id,
  upstream: payment.upstream,
  amount: payment.amount,
  currency: payment.currency,
  captureMethod: payment.capture_method,
});

/** The upstream key for cancelling whatever the processor may still carry out for a payment. */
export const cancelKey = (payment: PaymentRow): string => `${payment.id}:t`;
