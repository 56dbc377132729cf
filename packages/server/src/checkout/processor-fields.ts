import { ApiError } from '@till/contract';
import type { CardFieldsMode } from '../accounts/context.ts';
import { parseUrl } from '../lib/url.ts';
import { createClientToken } from '../payment-methods/client-token.ts';
import { connectionOf } from '../processors/port/connected.ts';
import type { ProcessorFields } from './card-page.ts';
import { type CheckoutParts, stepOf, type Visit } from './flow.ts';

/** PayPal JavaScript SDK v6, "Set up". It must be loaded from there: its content changes without notice. */
export const processorScript = 'https://www.paypal.com/web-sdk/v6/core';

/**
 * Whose fields take live cards where the account has not chosen: the processor's own wherever the real one stands
 * behind the connection. Simulators know no such fields.
 */
export const defaultCardFields = (upstreamUrl: string): CardFieldsMode =>
  parseUrl(upstreamUrl)?.hostname.endsWith('.paypal.com') === true ? 'processor' : 'first_party';

/** Whether the processor takes the card in its own fields: only in live mode, as the account has chosen. */
export function usesProcessorFields(parts: CheckoutParts, { context, token, payment }: Visit): boolean {
  if (!payment.livemode || stepOf(payment) !== 'enter_card') return false;
  const { card_fields: chosen } = token;
  return (
    (chosen ?? defaultCardFields(parts.payments.connect(context)?.connection.baseUrl ?? '')) === 'processor'
  );
}

/** What the processor's fields need for this payment; null where the processor gives no token. */
export async function openProcessorFields(
  parts: CheckoutParts,
  visit: Visit,
): Promise<ProcessorFields | null> {
  const { context, payment } = visit;
  const { order } = payment.upstream;
  if (order === undefined || connectionOf(parts.payments, context, payment) === undefined) return null;
  try {
    const { hostname } = new URL(parts.payments.links.checkoutUrl(''));
    const token = await createClientToken(parts.payments.methods, context, { domains: [hostname] });
    return { clientToken: token.client_token, orderId: order, script: processorScript };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}
