/** The title of a payment's alert, and what the alert means. */
export interface AlertText {
  readonly title: string;
  readonly meaning: string;
}

const texts: Readonly<Record<string, AlertText>> = {
  capture_failed: {
    title: 'The capture failed at the processor',
    meaning:
      'Collecting the money failed after the processor had confirmed it: it does not come. The payment still reads as succeeded, which is final. Do not deliver, or ask the buyer to pay again.',
  },
  capture_reversed: {
    title: 'The processor took the money back',
    meaning:
      'By a reversal and not by a refund, often because of a dispute. Look at the payment at the processor before you refund anything.',
  },
  cancelled_upstream: {
    title: 'Cancelled at the processor',
    meaning:
      'The processor cancelled the payment or gave it back, and nobody asked for that here. Look at it there before you deliver or refund.',
  },
  charged_twice: {
    title: 'Authorised twice at the processor',
    meaning:
      'The buyer may have been charged twice. Look for both charges at the processor, and give one of them back there.',
  },
  hold_voided: {
    title: 'The hold was released at the processor',
    meaning: 'Nobody asked for that here. Nothing was collected, and nothing can be captured any more.',
  },
  reversal_failed: {
    title: 'The money could not be given back',
    meaning:
      'The processor charged the payment although it failed or was voided here, and giving the money back was refused there: the buyer has paid. Give it back at the processor, or in another way.',
  },
  fraud_reported: {
    title: 'The buyer’s bank reports fraud',
    meaning: 'No money has moved. A chargeback may follow: you may refund the payment before it does.',
  },
};

/** The text for a kind of alert. */
export const alertText = (kind: string): AlertText =>
  texts[kind] ?? { title: kind.replaceAll('_', ' '), meaning: '' };
