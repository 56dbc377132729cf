import type { PlannedNotification } from '../../outbox/outbox.ts';
import { planned } from '../notifications/notification-items.ts';
import { answerableUntil, type Dispute, type Step, waitsForMerchant } from './dispute.ts';

const statusWords = {
  new: 'Undefended',
  action_required: 'Undefended',
  challenged: 'Pending',
  accepted: 'Accepted',
  lost: 'Lost',
  won: 'Won',
  recovered: 'Won',
} as const;

const requestStatusWords: Readonly<Partial<Record<Step['status'], string>>> = {
  new: 'Unresponded',
  action_required: 'Unresponded',
  challenged: 'Responded',
  accepted: 'Expired',
};

/** Adyen Standard webhooks v1, DisputesNotificationAdditionalData. */
function additionalData(dispute: Dispute, step: Step): Record<string, string> {
  const isRequest = step.state === 'information_request';
  const { reasonCode, brand, arn } = dispute;
  return {
    ...(isRequest
      ? { rfiReasonCode: reasonCode, rfiSchemeCode: brand }
      : { chargebackReasonCode: reasonCode, chargebackSchemeCode: brand }),
    disputeStatus: (isRequest ? requestStatusWords[step.status] : undefined) ?? statusWords[step.status],
    modificationMerchantReferences: '',
    arn,
    ...(waitsForMerchant(step)
      ? {
          defendable: 'true',
          autoDefended: 'false',
          defensePeriodEndsAt: answerableUntil(new Date(step.at))
            .toISOString()
            .replace(/\.\d+Z$/, '+00:00'),
        }
      : {}),
  };
}

/** Builds the notification of a step, due at the step's own time. */
export function stepNotification(
  merchantAccount: string,
  upstreamId: string,
  dispute: Dispute,
  step: Step & { readonly eventCode: string },
): PlannedNotification {
  const at = new Date(step.at);
  return planned(
    {
      eventCode: step.eventCode,
      pspReference: upstreamId,
      originalReference: dispute.paymentPspReference,
      merchantReference: dispute.reference,
      success: true,
      amount: dispute.amount,
      paymentMethod: dispute.brand,
      reason: dispute.reasonWords,
      additionalData: additionalData(dispute, step),
    },
    { merchantAccount, at, dueAt: at },
  );
}
