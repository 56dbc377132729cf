import { formatAmount } from '../lib/money.ts';
import { writeBlocks } from './html.ts';
import type { MailMessage } from './queue-mail.ts';

/** The content of a mail about a payment that somebody has to check. */
export interface PaymentAlertMail {
  readonly kind: keyof typeof words;
  readonly accountName: string;
  readonly livemode: boolean;
  readonly paymentId: string;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** For each kind of alert: the event, for the subject, and its meaning. */
const words = {
  capture_failed: [
    'the capture failed',
    'The processor reports that collecting this payment failed after it had been confirmed: the money does not come. The payment still reads as succeeded, which is final here. Do not deliver, or ask the buyer to pay again.',
  ],
  capture_reversed: [
    'the money was taken back',
    'The processor took the money of this payment back, by a reversal and not by a refund. Often a dispute is the reason and arrives on its own. Look at the payment at the processor before you refund anything.',
  ],
  cancelled_upstream: [
    'it was cancelled at the processor',
    'The processor cancelled this payment or gave it back, and nobody asked for that here. The payment still reads as succeeded, which is final here. Look at the payment at the processor before you deliver or refund.',
  ],
  charged_twice: [
    'it was authorised twice',
    'The processor authorised this payment under a second reference: the buyer may have been charged twice. Look for both at the processor, and give one of them back there.',
  ],
  hold_voided: [
    'the hold was released at the processor',
    'The hold was voided at the processor, and nobody asked for that here. The payment is voided now: nothing was collected, and nothing can be captured.',
  ],
  reversal_failed: [
    'the money could not be given back',
    'The processor charged this payment although it failed or was voided here, and giving the money back was refused there: the buyer has paid. Look at the payment at the processor, and give the money back there or in another way.',
  ],
  fraud_reported: [
    'the issuer reports fraud',
    'The buyer’s bank reported this payment as fraud. No money has moved. A chargeback may follow: you may refund the payment before it does.',
  ],
} as const;

/** The mail about a processor's message that contradicts a settled payment. */
export function paymentAlertMail(update: PaymentAlertMail): MailMessage {
  const { kind, accountName, livemode, paymentId, amount, currency } = update;
  const money = `${formatAmount(amount, currency)} ${currency}`;
  const [what, meaning] = words[kind];
  const facts = [
    ['Account', accountName],
    ['Payment', paymentId],
    ['Amount', money],
  ] as const;
  return {
    subject: `${livemode ? '' : '[Test] '}Payment of ${money}: ${what}`,
    ...writeBlocks([
      meaning,
      facts,
      'The payment’s page in the dashboard shows it until somebody says that it is dealt with.',
    ]),
  };
}
