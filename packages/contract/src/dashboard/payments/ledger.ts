import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';

/** Types of money movements. Incoming amounts are positive, outgoing ones negative. */
export const movementTypes = [
  'payment',
  /** The capture of a hold. */
  'capture',
  'refund',
  /** A refund that the scheme reversed after it had succeeded. */
  'refund_reversed',
  'chargeback',
  /** The merchant won, or the issuer returned the money. */
  'chargeback_reversed',
  /** The processor reversed a settled payment, or never collected it. */
  'reversal',
] as const;

export const LedgerQuery = Type.Object({
  month: Type.String({ pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$', description: 'As in 2026-11.' }),
});

/** The sums of a month in the account's time zone. */
export const Ledger = Type.Object({
  month: Type.String(),
  time_zone: Type.String(),
  from: IsoTime,
  /** Exclusive. */
  to: IsoTime,
  /** Grouped by currency, then by type. */
  sums: Type.Array(
    Type.Object({
      currency: Type.String(),
      type: Type.Enum([...movementTypes]),
      count: Type.Integer(),
      /** In minor units. Negative for outgoing money. */
      amount: Type.Integer(),
    }),
  ),
});
export type Ledger = Static<typeof Ledger>;

/** All movements of money in a month, in the account's current environment. */
export const ledgerApi = {
  retrieveLedger: {
    id: 'retrieveLedger',
    method: 'GET',
    path: '/accounts/:account/ledger',
    roles: rolesFor.viewing,
    query: LedgerQuery,
    answers: { 200: Ledger },
  },
  /** A CSV file with one row per movement. Its amounts add up to the sums. */
  exportLedger: {
    id: 'exportLedger',
    method: 'GET',
    path: '/accounts/:account/ledger/export',
    roles: rolesFor.viewing,
    query: LedgerQuery,
    answers: {},
    audit: 'ledger.exported',
  },
} as const satisfies Record<string, DashboardOperation>;
