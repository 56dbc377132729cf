import type { PayoutLineType } from '@till/contract';
import type { BookAccount } from '@till/contract/dashboard';
import type { LineRow, PayoutRow } from './row.ts';

/** One double-entry bookkeeping entry. It moves an amount, always above zero, from one account to another. */
export interface Entry {
  /** What is booked: a line by its type, the fee of a line (`fee`), or the transfer to the bank (`payout`). */
  readonly entry: PayoutLineType | 'payout';
  readonly debit: BookAccount;
  readonly credit: BookAccount;
  /** In minor units. */
  readonly amount: number;
}

/** The counter account of the clearing account for each line type. */
const against: Readonly<Record<PayoutLineType, BookAccount>> = {
  payment: 'receivable',
  refund: 'refunds',
  chargeback: 'chargebacks',
  chargeback_reversed: 'chargebacks',
  fee: 'fees',
  adjustment: 'adjustments',
};

/** Debits `at` for incoming amounts and credits it for outgoing ones. @returns no entry for 0 */
const entryOf = (entry: Entry['entry'], at: BookAccount, from: BookAccount, amount: number): Entry[] => {
  if (amount === 0) return [];
  return amount > 0
    ? [{ entry, debit: at, credit: from, amount }]
    : [{ entry, debit: from, credit: at, amount: -amount }];
};

/** The entries of a line: its gross amount, and the fee that the processor kept. */
export const entriesOfLine = ({ type, gross, fee }: Pick<LineRow, 'type' | 'gross' | 'fee'>): Entry[] => [
  ...entryOf(type, 'clearing', against[type], gross),
  ...entryOf('fee', 'clearing', 'fees', -fee),
];

/** Whether a line is booked. A movement that two reports have is booked once. */
export const isBooked = ({ unmatched }: Pick<LineRow, 'unmatched'>): boolean =>
  unmatched !== 'reported_before';

/** The transfer to the bank, which clears the payout's balance at the processor. */
export const entriesOfPayout = ({ gross, fees }: Pick<PayoutRow, 'gross' | 'fees'>): Entry[] =>
  entryOf('payout', 'bank', 'clearing', gross - fees);
