import type { PayoutLineType } from '@till/contract';
import type { BookAccount } from '@till/contract/dashboard';
import type { LineRow, PayoutRow } from './row.ts';

/** One entry in double-entry books: the amount goes from one account to another, always above zero. */
export interface Entry {
  /** What is booked: a type of line, the fee of one, or the transfer to the bank. */
  readonly entry: PayoutLineType | 'payout';
  readonly debit: BookAccount;
  readonly credit: BookAccount;
  /** In minor units. */
  readonly amount: number;
}

/** Against which account a line of each type stands at the processor. */
const against: Readonly<Record<PayoutLineType, BookAccount>> = {
  payment: 'receivable',
  refund: 'refunds',
  chargeback: 'chargebacks',
  chargeback_reversed: 'chargebacks',
  fee: 'fees',
  adjustment: 'adjustments',
};

/** What comes in is debited, what goes out credited. */
const entryOf = (entry: Entry['entry'], at: BookAccount, from: BookAccount, amount: number): Entry[] => {
  if (amount === 0) return [];
  return amount > 0
    ? [{ entry, debit: at, credit: from, amount }]
    : [{ entry, debit: from, credit: at, amount: -amount }];
};

/** The entries of a line: what it moved, and what the processor kept of it. */
export const entriesOfLine = ({ type, gross, fee }: Pick<LineRow, 'type' | 'gross' | 'fee'>): Entry[] => [
  ...entryOf(type, 'clearing', against[type], gross),
  ...entryOf('fee', 'clearing', 'fees', -fee),
];

/** Whether a line stands in the books: a movement that two reports have stands there once. */
export const isBooked = ({ unmatched }: Pick<LineRow, 'unmatched'>): boolean =>
  unmatched !== 'reported_before';

/** The transfer to the bank: with it nothing of the payout is left at the processor. */
export const entriesOfPayout = ({ gross, fees }: Pick<PayoutRow, 'gross' | 'fees'>): Entry[] =>
  entryOf('payout', 'bank', 'clearing', gross - fees);
