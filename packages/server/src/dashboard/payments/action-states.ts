import type { ActionState } from '@till/contract/dashboard';
import { dashboardApi, mayCall, type Role } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { PaymentRow } from '../../payments/payment.ts';

/** What decides besides the payment itself. */
export interface ActionFacts {
  readonly role: Role;
  /** Whether an operation at the processor has no answer yet. */
  readonly inDoubt: boolean;
  /** Succeeded and pending refunds, in minor units. */
  readonly refunded: number;
  /** Why a dispute makes the whole payment unrefundable, in words; null if none does. */
  readonly disputeRefusal: string | null;
  /** The largest refund that the role may make at once, in minor units; null for any. */
  readonly refundLimit: number | null;
  /** Why the payment's processor cannot be called, in words; null if it can. */
  readonly unreachable: string | null;
}

type Action = 'capture' | 'void' | 'refund';

const operations = {
  capture: dashboardApi.capturePayment,
  void: dashboardApi.voidPayment,
  refund: dashboardApi.refundPayment,
} as const;

/**
 * Whether a payment can be captured, voided or refunded now and, if not, why, in words. The operations themselves check
 * this again.
 */
export function actionStates(
  payment: PaymentRow,
  context: AccountContext,
  facts: ActionFacts,
): Record<Action, ActionState> {
  const stateOf = (action: Action): ActionState => {
    const reason = refusalOf(action, payment, context, facts);
    return { allowed: reason === null, reason };
  };
  return { capture: stateOf('capture'), void: stateOf('void'), refund: stateOf('refund') };
}

function refusalOf(
  action: Action,
  payment: PaymentRow,
  context: AccountContext,
  facts: ActionFacts,
): string | null {
  const byState = {
    capture: () => captureRefusal(payment, context),
    void: () => voidRefusal(payment),
    refund: () => refundRefusal(payment, facts),
  }[action]();
  if (byState !== null) return byState;
  if (!mayCall(operations[action], facts.role, context.livemode)) {
    return `Your role here, ${facts.role}, does not allow this. Owners, admins and support may.`;
  }
  if (action === 'refund' && facts.refundLimit === 0) {
    return `Your role here, ${facts.role}, may not refund in ${payment.currency}. Owners and admins may.`;
  }
  if (facts.inDoubt) {
    return 'The processor has not answered yet to what was asked before. Look again in a minute.';
  }
  if (facts.unreachable !== null) return facts.unreachable;
  return action === 'capture' ? activationRefusal(context) : null;
}

function captureRefusal(payment: PaymentRow, { now }: AccountContext): string | null {
  switch (payment.status) {
    case 'authorized': {
      const end = payment.authorization_expires;
      return end !== null && now >= end
        ? `The hold ended at ${isoSeconds(end)}. It can only be voided.`
        : null;
    }
    case 'succeeded':
      return payment.capture_method === 'manual'
        ? 'It is captured already.'
        : 'The money was collected at once: there is nothing to capture.';
    default:
      return notHeld[payment.status];
  }
}

function voidRefusal({ status }: PaymentRow): string | null {
  if (status === 'authorized') return null;
  return status === 'succeeded' ? 'The money is collected. Refund it instead.' : notHeld[status];
}

function refundRefusal(
  { status, amount }: PaymentRow,
  { refunded, disputeRefusal }: ActionFacts,
): string | null {
  if (status === 'succeeded') {
    return refunded >= amount ? 'It is refunded in full, or such a refund is under way.' : disputeRefusal;
  }
  return status === 'authorized' ? 'The money is only held. Void the hold instead.' : notHeld[status];
}

const notHeld = {
  processing: 'The processor has not answered yet.',
  requires_action: 'The buyer has not confirmed the payment.',
  failed: 'The payment failed. No money was taken.',
  voided: 'The hold was released. No money was taken.',
} as const;

function activationRefusal({ livemode, activation }: AccountContext): string | null {
  if (!livemode || activation === 'active') return null;
  return activation === 'not_activated'
    ? 'Live processing is not enabled for this account yet.'
    : `Live processing is ${activation} for this account.`;
}
