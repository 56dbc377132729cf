import type { AccountContext } from '../accounts/context.ts';
import type { DisputeDependencies } from '../disputes/dependencies.ts';
import { applyDisputeFacts } from '../disputes/notifications/apply-facts.ts';
import { forgetInstrument, type PaymentMethodDependencies } from '../payment-methods/payment-methods.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import { applyPaymentAlert } from '../payments/notifications/apply-alert.ts';
import { applyPaymentUpdate, type PaymentUpdate } from '../payments/notifications/apply-notification.ts';
import { attachLateToken } from '../payments/notifications/attach-method.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import { applyRefundUpdate } from '../refunds/apply-notification.ts';
import type { RefundDependencies } from '../refunds/dependencies.ts';

/** The features to which notifications apply. */
export interface NotifiedFeatures {
  readonly payments: PaymentDependencies;
  readonly methods: PaymentMethodDependencies;
  readonly refunds: RefundDependencies;
  readonly disputes: DisputeDependencies;
}

/** Passes an effect to the feature that it concerns. @param sender identity of the merchant account */
export async function applyEffect(
  { payments, methods, refunds, disputes }: NotifiedFeatures,
  context: AccountContext,
  effect: NotificationEffect,
  sender: string | null,
): Promise<'applied' | 'later'> {
  const ofPayment = (id: string, update: PaymentUpdate) =>
    applyPaymentUpdate(payments, context, id, update, sender);
  switch (effect.kind) {
    case 'payment_settled': {
      const { kind: _kind, paymentId, ...update } = effect;
      return ofPayment(paymentId, { kind: 'settled', ...update });
    }
    case 'payment_changed':
      return ofPayment(effect.paymentId, { kind: 'changed', upstream: effect.payment });
    case 'payment_cancelled':
      return ofPayment(effect.paymentId, { kind: 'cancelled' });
    case 'payment_not_cancelled':
      return ofPayment(effect.paymentId, { kind: 'not_cancelled' });
    case 'payment_offer_closed':
      return ofPayment(effect.paymentId, { kind: 'offer_closed', upstream: effect.payment });
    case 'payment_alert':
      return applyPaymentAlert(payments, context, effect, sender);
    case 'instrument_saved':
      return attachLateToken(payments, context, effect, sender);
    case 'instrument_removed':
      await forgetInstrument(methods, context, { token: effect.token, sender, at: context.now });
      return 'applied';
    case 'refund_settled':
      return applyRefundUpdate(refunds, context, effect, sender);
    case 'dispute':
      return applyDisputeFacts(disputes, context, effect.facts, sender);
    case 'none':
      return 'applied';
  }
}
