import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Payout, PayoutLine } from '../../objects/payout.ts';
import { Nullable, PageQuery, Ref, Text } from '../../primitives/common.ts';
import { ImportedReport } from '../settings/imported-report.ts';

/**
 * Maximum size of an uploaded report. Larger ones are imported at the command line, which reads them in
 * chunks.
 */
export const reportBytesMax = 8 * 1024 * 1024;

export const unmatchedReasons = [
  'unknown',
  'amount_differs',
  'not_succeeded',
  'paid_before',
  'reported_before',
] as const;

/** A payout with a page of its lines. */
export const PayoutDetail = Type.Object({
  payout: Ref(Payout),
  /** The processor's own identifiers. */
  merchant_account: Type.String(),
  reference: Type.String(),
  /** Number of times that a later report contained different data. */
  corrections: Type.Integer(),
  lines: PageOf(
    Type.Object({
      line: Ref(PayoutLine),
      /** As in the report. */
      at: IsoTime,
      /** Why the line does not match the records. Null if it does. */
      unmatched: Nullable(Type.Enum([...unmatchedReasons])),
    }),
  ),
});
export type PayoutDetail = Static<typeof PayoutDetail>;

/** Accounts of the merchant's bookkeeping, in the order in which money passes through them. */
export const bookAccounts = [
  'receivable',
  'clearing',
  'bank',
  'fees',
  'refunds',
  'chargebacks',
  'adjustments',
] as const;
export type BookAccount = (typeof bookAccounts)[number];

/** Their names if none were configured. */
export const defaultBookAccounts: Readonly<Record<BookAccount, string>> = {
  receivable: 'Receivables',
  clearing: 'Processor',
  bank: 'Bank',
  fees: 'Processor fees',
  refunds: 'Refunds',
  chargebacks: 'Chargebacks',
  adjustments: 'Adjustments',
};

const Name = Text(64);

export const BookAccounts = Type.Object({
  receivable: Name,
  clearing: Name,
  bank: Name,
  fees: Name,
  refunds: Name,
  chargebacks: Name,
  adjustments: Name,
});
export type BookAccounts = Static<typeof BookAccounts>;

const payouts = '/accounts/:account/payouts';

/** Payouts by the processors. */
export const payoutsApi = {
  listPayouts: {
    id: 'listPayouts',
    method: 'GET',
    path: payouts,
    roles: rolesFor.viewing,
    query: Type.Object({ ...PageQuery }),
    answers: { 200: PageOf(Ref(Payout)) },
  },
  retrievePayout: {
    id: 'retrievePayout',
    method: 'GET',
    path: `${payouts}/:id`,
    roles: rolesFor.viewing,
    query: Type.Object({ ...PageQuery, lines: Type.Optional(Type.Enum(['all', 'unmatched'])) }),
    answers: { 200: PayoutDetail },
  },
  /** Imports a report of the account's processor, completely or not at all. */
  importSettlementReport: {
    id: 'importSettlementReport',
    method: 'POST',
    movesMoney: false,
    path: `${payouts}/import`,
    roles: rolesFor.managing,
    upload: { field: 'report', maxBytes: reportBytesMax },
    answers: { 200: ImportedReport },
    audit: 'settlement_report.imported',
  },
  /** A CSV file of a month's payouts: one row per movement, with the accounts to debit and to credit. */
  exportPayouts: {
    id: 'exportPayouts',
    method: 'GET',
    path: `${payouts}/export`,
    roles: rolesFor.viewing,
    query: Type.Object({
      month: Type.String({
        pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
        description: 'Of the payouts, as in 2026-11.',
      }),
    }),
    answers: {},
    audit: 'payouts.exported',
  },
  retrieveBookAccounts: {
    id: 'retrieveBookAccounts',
    method: 'GET',
    path: '/accounts/:account/settings/book_accounts',
    roles: rolesFor.viewing,
    answers: { 200: BookAccounts },
  },
  /** Replaces all names. They apply to files that are exported from then on. */
  updateBookAccounts: {
    id: 'updateBookAccounts',
    method: 'PATCH',
    path: '/accounts/:account/settings/book_accounts',
    roles: rolesFor.managing,
    body: BookAccounts,
    answers: { 200: BookAccounts },
    audit: 'book_accounts.changed',
  },
} as const satisfies Record<string, DashboardOperation>;
