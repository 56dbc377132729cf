import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';

/** What moves money. Amounts that come in are positive, those that go out negative. */
export const movementTypes = [
  'payment',
  /** A hold that was collected. */
  'capture',
  'refund',
  /** A refund that the scheme took back after it had succeeded. */
  'refund_reversed',
  'chargeback',
  /** Won, or given back by the issuer. */
  'chargeback_reversed',
  /** The processor took a settled payment back, or never collected it. */
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
  /** Not included. */
  to: IsoTime,
  /** By currency, and within it by type. */
  sums: Type.Array(
    Type.Object({
      currency: Type.String(),
      type: Type.Enum([...movementTypes]),
      count: Type.Integer(),
      /** In minor units; negative where money went out. */
      amount: Type.Integer(),
    }),
  ),
});
export type Ledger = Static<typeof Ledger>;

/** All movements of money of a month, in the account's present environment. */
export const ledgerApi = {
  retrieveLedger: {
    id: 'retrieveLedger',
    method: 'GET',
    path: '/accounts/:account/ledger',
    roles: rolesFor.viewing,
    query: LedgerQuery,
    answers: { 200: Ledger },
  },
  /** A CSV file with one line for each movement, whose amounts add up to the sums. */
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
