import { invalidParam } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { holdRequest } from './capture-payment.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { requirePayment } from './retrieve-payment.ts';
import { type Asking, giveUp, type Keyed, runOperation } from './run-operation.ts';
import { type PaymentAnswer, settlePayment, stayInDoubt } from './settle-payment.ts';

/**
 * Releases a hold, also an expired one (spec, "Void"). Never refused for the account's activation.
 * @throws ApiError `not_found`; `invalid_params` where it is not authorized
 */
export function voidPayment(
  parts: PaymentParts,
  context: AccountContext,
  id: string,
  keyed: Keyed,
): Promise<PaymentAnswer> {
  return runOperation(parts, context, () => requirePayment(parts.store, context, id), keyed, {
    kind: 'void',
    reached: (payment) => payment.status === 'voided',
    decide(payment) {
      if (payment.status !== 'authorized') {
        throw invalidParam(
          'status',
          `Only an authorized payment can be voided; this one is ${payment.status}.`,
        );
      }
      return { upstreamKey: `${payment.id}:v` };
    },
    work: (payment, begun, processor) =>
      askAndSettle(parts, context, payment, { ...begun, processor, claim: keyed.claim }),
  });
}

async function askAndSettle(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  { upstreamKey, fresh, processor, claim }: Asking,
) {
  const outcome = await processor.port.void(processor.connection, holdRequest(payment, upstreamKey, context));
  if (outcome.kind === 'not_executed' && fresh) throw await giveUp(parts, context, payment, outcome);
  if ('answer' in outcome) throw await stayInDoubt(parts, payment, outcome);
  if (outcome.kind === 'already_captured') {
    await parts.operations.close(payment, context.now);
    throw invalidParam('status', 'The processor has captured this payment already: refund it instead.');
  }
  return settlePayment(parts, context, {
    before: payment,
    after: { ...payment, status: 'voided' },
    claim,
    status: 200,
  });
}
