import { formatAmount } from '../lib/money.ts';
import { writeBlocks } from './html.ts';
import type { MailMessage } from './queue-mail.ts';

/** The content of a mail about a failed refund. */
export interface FailedRefundMail {
  readonly accountName: string;
  readonly livemode: boolean;
  readonly paymentId: string;
  readonly refundId: string;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The processor's reason as text. */
  readonly reason: string;
}

/** The mail about a failed refund: the buyer waits for money that will not arrive. */
export function failedRefundMail(refund: FailedRefundMail): MailMessage {
  const { accountName, livemode, paymentId, refundId, amount, currency, reason } = refund;
  const money = `${formatAmount(amount, currency)} ${currency}`;
  const facts = [
    ['Account', accountName],
    ['Payment', paymentId],
    ['Refund', refundId],
    ['Amount', money],
    ['Reason', reason],
  ] as const;
  return {
    subject: `${livemode ? '' : '[Test] '}Refund of ${money} failed`,
    ...writeBlocks([
      'The processor did not carry out this refund: the buyer has not got the money, and it can be refunded again.',
      facts,
      'What to do: refund it again on the payment’s page in the dashboard. Where that fails too, pay the buyer another way and mark the failure as dealt with.',
    ]),
  };
}
