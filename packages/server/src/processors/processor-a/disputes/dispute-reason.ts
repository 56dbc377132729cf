import type { DisputeReason } from '../../port/disputes.ts';

interface ReasonRow {
  readonly reason: DisputeReason;
  readonly visa?: string;
  readonly mc?: string;
  readonly amex?: string;
}

/** Reason codes of the card schemes (Visa Core Rules; Mastercard Chargeback Guide; American Express Dispute Guide). */
const rows: readonly ReasonRow[] = [
  {
    reason: 'fraudulent',
    visa: '10.1 10.2 10.3 10.4 10.5',
    mc: '4837 4840 4849 4863 4870 4871',
    amex: 'F10 F14 F22 F24 F29',
  },
  { reason: 'authorization', visa: '11.1 11.2 11.3', mc: '4807 4808 4812', amex: 'A01 A02 A08' },
  {
    reason: 'processing_error',
    visa: '12.1 12.2 12.3 12.4 12.7',
    mc: '4834 4842 4846 4850',
    amex: 'P01 P03 P04 P07 P22 P23',
  },
  { reason: 'duplicate', visa: '12.6.1 12.6', amex: 'P08' },
  { reason: 'paid_by_other_means', visa: '12.6.2', amex: 'C14' },
  { reason: 'incorrect_amount', visa: '12.5', mc: '4831', amex: 'P05' },
  { reason: 'product_not_received', visa: '13.1', mc: '4855', amex: 'C08' },
  { reason: 'product_unacceptable', visa: '13.3 13.4 13.5', mc: '4853', amex: 'C31 C32' },
  { reason: 'subscription_canceled', visa: '13.2', mc: '4841', amex: 'C28' },
  { reason: 'credit_not_processed', visa: '13.6 13.7', mc: '4860', amex: 'C02 C04 C05' },
];

/** Codes with two meanings, which the upstream's text distinguishes. */
const reasonCodes: readonly (readonly [
  scheme: string,
  code: string,
  words: RegExp,
  reason: DisputeReason,
])[] = [
  ['visa', '12.6', /other means/i, 'paid_by_other_means'],
  ['mc', '4834', /duplicate/i, 'duplicate'],
  ['mc', '4834', /other means/i, 'paid_by_other_means'],
  ['mc', '4853', /not (received|provided)/i, 'product_not_received'],
];

const byCode: ReadonlyMap<string, DisputeReason> = new Map(
  rows.flatMap(({ reason, ...codes }) =>
    Object.entries(codes).flatMap(([scheme, list]) =>
      list.split(' ').map((code) => [`${scheme} ${code}`, reason] as const),
    ),
  ),
);

/** The reason for a scheme's code; `general` for a code that is not in the table. */
export function disputeReason(scheme: string | null, code: string, words: string | null): DisputeReason {
  const precise = reasonCodes.find(
    ([of, one, pattern]) => of === scheme && one === code && pattern.test(words ?? ''),
  );
  return precise?.[3] ?? byCode.get(`${scheme} ${code}`) ?? 'general';
}
