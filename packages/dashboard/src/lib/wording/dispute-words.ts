/** The kinds of evidence that can be submitted, as the contract names them. */
export type EvidenceType =
  | 'receipt'
  | 'proof_of_delivery'
  | 'shipping_documentation'
  | 'customer_communication'
  | 'customer_signature'
  | 'service_documentation'
  | 'refund_policy'
  | 'cancellation_policy'
  | 'proof_of_refund'
  | 'recurring_agreement'
  | 'duplicate_charge_documentation'
  | 'access_activity_log'
  | 'other';

export interface EvidenceText {
  readonly title: string;
  /** What makes this evidence convincing. */
  readonly hint: string;
}

const evidence: Readonly<Record<EvidenceType, EvidenceText>> = {
  receipt: { title: 'Receipt or invoice', hint: 'With date, amount and what was bought.' },
  proof_of_delivery: {
    title: 'Proof of delivery',
    hint: 'From the carrier: date, address, and best a signature. The address should be the one that the buyer gave.',
  },
  shipping_documentation: {
    title: 'Shipping documents',
    hint: 'Tracking number, carrier, date of dispatch, and the address on the label.',
  },
  customer_communication: {
    title: 'Messages with the buyer',
    hint: 'E-mails or chats in which the buyer confirms the order, the delivery or that they are content.',
  },
  customer_signature: {
    title: 'Signature of the buyer',
    hint: 'On a contract, an order or a delivery note.',
  },
  service_documentation: {
    title: 'Proof of the service',
    hint: 'What was agreed, and that it was rendered: bookings, time sheets, photographs, a description as the buyer saw it.',
  },
  refund_policy: {
    title: 'Refund policy',
    hint: 'As the buyer saw it before paying, and where it was shown.',
  },
  cancellation_policy: {
    title: 'Cancellation policy',
    hint: 'As the buyer saw it before paying, and how a subscription is ended.',
  },
  proof_of_refund: { title: 'Proof of a refund', hint: 'Date, amount and number of the refund.' },
  recurring_agreement: {
    title: 'Agreement to repeated charges',
    hint: 'What the buyer agreed to, when, and how often which amount is charged.',
  },
  duplicate_charge_documentation: {
    title: 'That both charges are right',
    hint: 'Two orders with their own receipts, so that it shows that neither was charged twice.',
  },
  access_activity_log: {
    title: 'Log of use',
    hint: 'Sign-ins or downloads with time, IP address and device, after the payment.',
  },
  other: { title: 'Something else', hint: 'Whatever speaks for you and fits nowhere else.' },
};

export const evidenceText = (type: EvidenceType): EvidenceText => evidence[type];
export const evidenceTypes = Object.keys(evidence) as readonly EvidenceType[];

export interface ReasonText {
  readonly word: string;
  /** What the buyer or the issuer claims. */
  readonly claim: string;
  /** What decides the dispute. */
  readonly advice: string;
  /** The kinds of evidence that help most, the best first. */
  readonly evidence: readonly EvidenceType[];
}

const reasons: Readonly<Record<string, ReasonText>> = {
  fraudulent: {
    word: 'Fraud',
    claim: 'The cardholder says that they did not make this payment.',
    advice:
      'Show that it was the cardholder: 3-D Secure, the same address or device as in earlier orders, delivery to their address. If it was not them, accept the loss.',
    evidence: [
      'proof_of_delivery',
      'access_activity_log',
      'customer_communication',
      'customer_signature',
      'receipt',
    ],
  },
  authorization: {
    word: 'Authorization',
    claim: 'The bank says that the charge was not authorized as it should have been.',
    advice: 'Show that the charge and its amount are the ones that the bank approved.',
    evidence: ['receipt', 'customer_signature', 'other'],
  },
  processing_error: {
    word: 'Processing error',
    claim: 'The bank says that the charge was processed wrongly, such as late or in another currency.',
    advice: 'Show what the buyer agreed to and that it is what was charged.',
    evidence: ['receipt', 'customer_communication', 'other'],
  },
  duplicate: {
    word: 'Charged twice',
    claim: 'The buyer says that they were charged twice for the same thing.',
    advice: 'Show that there were two orders, or that one charge was refunded already.',
    evidence: ['duplicate_charge_documentation', 'receipt', 'proof_of_refund'],
  },
  paid_by_other_means: {
    word: 'Paid by other means',
    claim: 'The buyer says that they paid for this in another way.',
    advice: 'Show that the other payment was for something else, or never arrived.',
    evidence: ['receipt', 'customer_communication', 'duplicate_charge_documentation'],
  },
  incorrect_amount: {
    word: 'Wrong amount',
    claim: 'The buyer says that another amount was agreed.',
    advice: 'Show the amount that the buyer saw and agreed to before paying.',
    evidence: ['receipt', 'customer_communication', 'customer_signature'],
  },
  product_not_received: {
    word: 'Not received',
    claim: 'The buyer says that they did not get what they paid for.',
    advice: 'Show that it arrived at the address that the buyer gave, or that the service was used.',
    evidence: [
      'proof_of_delivery',
      'shipping_documentation',
      'service_documentation',
      'access_activity_log',
      'customer_communication',
    ],
  },
  product_unacceptable: {
    word: 'Not as described',
    claim: 'The buyer says that what they got was damaged, wrong or not as described.',
    advice: 'Show how it was described, that it was so, and what you offered when the buyer complained.',
    evidence: ['service_documentation', 'customer_communication', 'refund_policy', 'receipt'],
  },
  subscription_canceled: {
    word: 'Subscription was canceled',
    claim: 'The buyer says that they had canceled before this charge.',
    advice: 'Show what was agreed, how it can be ended, and that it was not, or that it was used afterwards.',
    evidence: ['recurring_agreement', 'cancellation_policy', 'customer_communication', 'access_activity_log'],
  },
  credit_not_processed: {
    word: 'Refund missing',
    claim: 'The buyer says that a refund was promised and did not come.',
    advice: 'Show the refund, or that your policy gives none in this case.',
    evidence: ['proof_of_refund', 'refund_policy', 'customer_communication', 'cancellation_policy'],
  },
};

const general: ReasonText = {
  word: 'Other',
  claim: 'The processor named no particular reason.',
  advice: 'Show what was bought, that the buyer agreed to it, and that they got it.',
  evidence: ['receipt', 'proof_of_delivery', 'service_documentation', 'customer_communication'],
};

/** The text for a reason; a general text for an unknown reason. */
export const disputeReason = (reason: string): ReasonText => reasons[reason] ?? general;

/** Every known reason with its word, for a list of choices. */
export const disputeReasons: readonly { readonly value: string; readonly label: string }[] = [
  ...Object.entries(reasons).map(([value, { word }]) => ({ value, label: word })),
  { value: 'general', label: general.word },
];

export interface StateText {
  readonly word: string;
  readonly meaning: string;
}

const states: Readonly<Record<string, StateText>> = {
  information_request: {
    word: 'Request for information',
    meaning:
      'The issuer asks for documents about the payment. No money has moved yet. A good answer often ends it; none leads to a chargeback.',
  },
  chargeback: {
    word: 'Chargeback',
    meaning:
      'The issuer has taken the amount back for the buyer. You get it back only if you defend the payment and win.',
  },
  pre_arbitration: {
    word: 'Pre-arbitration',
    meaning:
      'The issuer rejected your first defence and raises the dispute again. If you defend once more, the card scheme may decide, and the losing side may pay its fee.',
  },
  scheme_arbitration: {
    word: 'Scheme arbitration',
    meaning: 'The card scheme decides. Its decision is final.',
  },
  second_chargeback: {
    word: 'Second chargeback',
    meaning: 'The issuer raises a dispute again that had been decided for you.',
  },
};

/** The stage of a dispute in words. */
export const disputeState = (state: string): StateText =>
  states[state] ?? { word: state.replaceAll('_', ' '), meaning: '' };

/** Every stage with its word, for a list of choices. */
export const disputeStates: readonly { readonly value: string; readonly label: string }[] = Object.entries(
  states,
).map(([value, { word }]) => ({ value, label: word }));

const next: Readonly<Record<string, string>> = {
  new: 'Nothing needs to be done yet: the processor will say until when an answer is due. You get a mail then.',
  action_required:
    'Defend the payment with evidence, or accept the loss, before the deadline. Without an answer the dispute counts as accepted.',
  challenged:
    'Your defence is with the issuer. Its decision can take several weeks, and there is nothing to do until then. You get a mail.',
  recovered: 'The dispute was lost, and the amount came back to you afterwards. Nothing is left to do.',
  accepted:
    'The loss was accepted, or nobody answered in time. The buyer keeps the amount. Nothing is left to do.',
  lost: 'The issuer or the scheme decided for the buyer, who keeps the amount. Nothing is left to do.',
  won: 'The decision is for you, and the amount is yours again. The issuer may still raise it once more.',
};

/** What a status means for the merchant, and what comes next. */
export const disputeNext = (status: string): string => next[status] ?? '';
