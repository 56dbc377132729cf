import { ApiError } from '@till/contract';
import { createClientToken } from '../../payment-methods/client-token.ts';
import { connectionOf } from '../../processors/port/connected.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { type CheckoutDependencies, stepOf, type Visit } from '../visit/flow.ts';
import type { ProcessorFields } from './card-page.ts';
import { defaultCardFields } from './hosted-fields.ts';

/** Whether the processor takes the card in its own fields: only in live mode, and if the account has chosen so. */
export function usesProcessorFields(deps: CheckoutDependencies, { context, token, payment }: Visit): boolean {
  if (!context.livemode || stepOf(payment) !== 'enter_card') return false;
  const upstreamUrl = deps.payments.connect(context)?.connection.baseUrl ?? '';
  return (token.card_fields ?? defaultCardFields(context.processor, upstreamUrl)) === 'processor';
}

/** The data that the processor's fields need for this payment; null if the processor gives no token. */
export async function openProcessorFields(
  deps: CheckoutDependencies,
  visit: Visit,
): Promise<ProcessorFields | null> {
  const { context, payment } = visit;
  const { order } = payment.upstream;
  const fields = capabilitiesOf(context.processor).hostedFields;
  if (
    fields === undefined ||
    order === undefined ||
    connectionOf(deps.payments, context, payment) === undefined
  ) {
    return null;
  }
  try {
    const { hostname } = new URL(deps.payments.links.checkoutUrl(''));
    const token = await createClientToken(deps.payments.methods, context, { domains: [hostname] });
    return { clientToken: token.client_token, orderId: order, fields };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}
