import type { AccountContext } from '../accounts/context.ts';
import { prepareMethod } from '../payment-methods/payment-methods.ts';
import { isOfMerchant } from '../processors/port/connected.ts';
import type { SavedInstrument } from '../processors/port/instruments.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { findPaymentByOrder, hasUnanswered } from './reads.ts';
import { methodToSave } from './saved-instrument.ts';

/**
 * A token that came after the payment's answer: from now on the payment names the saved method, and the customer has it
 * (spec, "Saving behaviour").
 * @param sender identity of the merchant account that it came from; null: not known
 * @returns `later` where the payment has no answer yet, or was made with another merchant account
 */
export async function attachLateToken(
  parts: PaymentParts,
  context: AccountContext,
  { paymentId, payment: upstream, saved }: Extract<NotificationEffect, { kind: 'instrument_saved' }>,
  sender: string | null,
): Promise<'applied' | 'later'> {
  const payment =
    paymentId === null
      ? await findPaymentByOrder(parts.db, context, upstream.order ?? '')
      : await parts.store.find(context, paymentId);
  // An order that nobody knows may belong to a payment that is still being answered.
  if (payment === undefined) return (await hasUnanswered(parts.db, context)) ? 'later' : 'applied';
  if (!isOfMerchant(payment, sender)) return 'later';
  if (payment.status === 'processing' || payment.status === 'requires_action') return 'later';
  return attachSaved(parts, context, payment, saved);
}

/** Names what a settled payment saved, where it names nothing yet. */
export async function attachSaved(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  saved: SavedInstrument,
): Promise<'applied' | 'later'> {
  const wish = methodToSave(payment, saved, context.now);
  if (wish === null || payment.status === 'failed') return 'applied';
  const { id, row } = await prepareMethod(parts.methods, context, wish);
  return (await parts.store.attachMethod(payment, id, row)) ? 'applied' : 'later';
}
