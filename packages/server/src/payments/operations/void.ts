import { invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { runOperation } from '../../operations/run.ts';
import type { IdempotentRequest } from '../../operations/subject-access.ts';
import type { NoAnswer, VoidOutcome } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentAnswer } from '../settle-payment.ts';
import { holdRequest, type PaymentOperation, paymentAccess } from './payment-access.ts';

/** Releases a hold, even an expired one (spec, "Void"). The account's activation never forbids it. */
export const voidHold: PaymentOperation<Exclude<VoidOutcome, NoAnswer>> = {
  kind: 'void',
  upstreamKey: (payment) => `${payment.id}:v`,
  isReached: (payment) => payment.status === 'voided',
  mayBegin(payment) {
    if (payment.status === 'authorized') return true;
    throw invalidParam('status', `Only an authorized payment can be voided; this one is ${payment.status}.`);
  },
  ask: (call) => call.connected.port.void(call.connected.connection, holdRequest(call)),
  settle({ subject: payment }, outcome) {
    switch (outcome.kind) {
      case 'voided':
        return { kind: 'change', change: { after: { ...payment, status: 'voided' } } };
      case 'already_captured': {
        const captured = 'The processor has captured this payment already: refund it instead.';
        return { kind: 'refused', error: invalidParam('status', captured) };
      }
    }
  },
};

/**
 * Voids a payment for a request.
 * @throws ApiError `not_found`; `invalid_params` if it is not authorized
 */
export function voidPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
  idempotent: IdempotentRequest,
): Promise<PaymentAnswer> {
  return runOperation(deps, context, voidHold, paymentAccess(deps, context, id), idempotent);
}
