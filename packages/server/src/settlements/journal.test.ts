import { bookAccounts } from '@till/contract/dashboard';
import { expect, it } from 'vitest';
import { entriesOfLine, entriesOfPayout } from './journal.ts';

const lines = [
  { type: 'payment', gross: 4990, fee: 46 },
  { type: 'payment', gross: 100, fee: 150 },
  { type: 'refund', gross: -500, fee: -5 },
  { type: 'refund', gross: 500, fee: 0 },
  { type: 'chargeback', gross: -4990, fee: 0 },
  { type: 'chargeback_reversed', gross: 4990, fee: 0 },
  { type: 'fee', gross: 0, fee: 1500 },
  { type: 'adjustment', gross: -7, fee: 0 },
] as const;

it('debits and credits are equal, and nothing is left at the processor once a payout is booked', () => {
  const gross = lines.reduce((sum, line) => sum + line.gross, 0);
  const fees = lines.reduce((sum, line) => sum + line.fee, 0);
  const entries = [...lines.flatMap(entriesOfLine), ...entriesOfPayout({ gross, fees })];
  expect(entries.every(({ amount }) => amount > 0)).toBe(true);
  const balance = Object.fromEntries(bookAccounts.map((account) => [account, 0]));
  for (const { debit, credit, amount } of entries) {
    balance[debit] = (balance[debit] ?? 0) + amount;
    balance[credit] = (balance[credit] ?? 0) - amount;
  }
  expect(Object.values(balance).reduce((sum, amount) => sum + amount, 0)).toBe(0);
  expect(balance).toEqual({
    receivable: -5090,
    clearing: 0,
    bank: gross - fees,
    fees: 46 + 150 - 5 + 1500,
    refunds: 0,
    chargebacks: 0,
    adjustments: 7,
  });
});

it('a payout below zero goes the other way', () => {
  expect(entriesOfPayout({ gross: -100, fees: 5 })).toEqual([
    { entry: 'payout', debit: 'clearing', credit: 'bank', amount: 105 },
  ]);
  expect(entriesOfPayout({ gross: 5, fees: 5 })).toEqual([]);
});
