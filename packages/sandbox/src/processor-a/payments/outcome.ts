import { captureFailsMs } from '../../directives/capture-directives.ts';
import { lateTokenMs } from '../../directives/save-directives.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { objectIn } from '../../lib/json.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import type { Approval, PaymentResponse } from '../authorisation/authorise.ts';
import { keptCard } from '../authorisation/card.ts';
import { type Directives, directivesToKeep } from '../authorisation/directives.ts';
import { type IssuedCard, lateToken, type Token, tokenFor } from '../authorisation/instruments.ts';
import type { KeptPayment } from '../authorisation/payment-request.ts';
import type { Saving } from '../authorisation/recurring.ts';
import {
  authorisationEvent,
  captureFailedEvent,
  deliveryOf,
  planned,
  recurringContractEvent,
} from '../notifications/notification-items.ts';
import type { ChargeColumns, InstrumentColumns } from '../store/store.ts';

/** A payment with its response and everything that the response's effects depend on. */
export interface AnsweredPayment {
  readonly merchantAccount: string;
  readonly payment: KeptPayment;
  readonly answer: PaymentResponse;
  /** Undefined if the number is not a published test card. */
  readonly card: IssuedCard | undefined;
  /** The request, without card number and security code. */
  readonly received: unknown;
  readonly texts: readonly string[];
  readonly directives: Directives;
  readonly now: Date;
}

/** The final response and its effects. */
export interface Outcome {
  readonly answer: PaymentResponse;
  readonly effects: Partial<ChargeColumns> &
    Partial<InstrumentColumns> & { readonly notifications: readonly PlannedNotification[] };
}

/** Returns what is charged or held. Nothing for a payment of amount zero, which only verifies its card. */
function chargeColumns({ payment, received }: AnsweredPayment, approval: Approval): Partial<ChargeColumns> {
  if (payment.amount.minor === 0) return {};
  return {
    reference: payment.reference,
    amount: payment.amount.minor,
    currency: payment.amount.currency,
    charge_status: payment.manualCapture ? 'authorized' : 'captured',
    brand: approval.paymentMethod.brand,
    bin: payment.card.bin,
    last4: payment.card.last4,
    expiry_month: payment.card.expiryMonth,
    expiry_year: payment.card.expiryYear,
    received,
  };
}

function instrumentColumns(
  answered: AnsweredPayment,
  card: IssuedCard,
  saving: Saving,
  token: Token,
): InstrumentColumns {
  const { payment, received, answer, texts } = answered;
  const { holderName } = objectIn(received, 'paymentMethod');
  const name = typeof holderName === 'string' ? holderName : '';
  const { brand, frictionless, challenge } = card;
  return {
    token: token.id,
    shopper: saving.shopperReference,
    instrument: {
      processor: 'processor_a',
      card: keptCard(payment.card),
      brand,
      ...(frictionless === undefined ? {} : { frictionless }),
      ...(challenge === undefined ? {} : { challenge }),
      holderName: name,
      model: saving.model,
      networkTxReference: answer.additionalData.networkTxReference ?? '',
      directives: directivesToKeep(name, texts),
    },
  };
}

function withToken(approval: Approval, token: Token, { shopperReference }: Saving): Approval {
  return {
    ...approval,
    additionalData: {
      ...approval.additionalData,
      'tokenization.storedPaymentMethodId': token.id,
      'tokenization.store.operationType': token.operation,
      'tokenization.shopperReference': shopperReference,
    },
  };
}

/**
 * Returns the notifications of a payment: one of its response and, if a directive asks for it, one of a
 * failed capture.
 */
function notificationsOf(answered: AnsweredPayment, answer: PaymentResponse): readonly PlannedNotification[] {
  const { merchantAccount, payment, now, directives } = answered;
  const delivery = deliveryOf(merchantAccount, now, directives.delivery);
  const ofAnswer = planned(authorisationEvent(payment, answer), delivery);
  if (!directives.captureFails || answer.resultCode !== 'Authorised') return [ofAnswer];
  const dueAt = new Date(now.getTime() + captureFailsMs);
  return [ofAnswer, planned(captureFailedEvent(payment, answer), { merchantAccount, at: dueAt, dueAt })];
}

/**
 * Determines the effects of a payment's final response: the charge, the stored card and their notifications.
 */
export async function conclude(
  deps: Pick<SandboxDependencies, 'database' | 'randomBytes'>,
  answered: AnsweredPayment,
): Promise<Outcome> {
  const { merchantAccount, payment, answer, card, directives, now } = answered;
  if (answer.resultCode !== 'Authorised') {
    return { answer, effects: { notifications: notificationsOf(answered, answer) } };
  }
  const charge = chargeColumns(answered, answer);
  const { saving } = payment;
  if (saving === undefined || card === undefined || directives.saving === 'saves_nothing') {
    return { answer, effects: { notifications: notificationsOf(answered, answer), ...charge } };
  }
  const { shopperReference } = saving;
  if (directives.saving === 'saves_late') {
    const token = lateToken(deps);
    const event = recurringContractEvent(payment, answer.pspReference, shopperReference, token, card.brand);
    const dueAt = new Date(now.getTime() + lateTokenMs);
    const notifications = [
      ...notificationsOf(answered, answer),
      planned(event, { merchantAccount, at: dueAt, dueAt }),
    ];
    return {
      answer,
      effects: { notifications, ...charge, ...instrumentColumns(answered, card, saving, token) },
    };
  }
  const token = await tokenFor(deps, merchantAccount, shopperReference, payment.card);
  const tokenized = withToken(answer, token, saving);
  return {
    answer: tokenized,
    effects: {
      notifications: notificationsOf(answered, tokenized),
      ...charge,
      ...instrumentColumns(answered, card, saving, token),
    },
  };
}
