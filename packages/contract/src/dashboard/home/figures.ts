import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Currency, Nullable, Text } from '../../primitives/common.ts';

export const chartRanges = ['7', '30', '90'] as const;

/** Failure codes of payments that nobody finished: no issuer declined them, so they count apart. */
export const unfinishedCodes = [
  '3ds_abandoned',
  '3ds_token_expired',
  'confirmation_expired',
  'not_processed',
] as const;

/** Decline reasons that have a layer of their own; the rest are together. */
export const declineLayers = 6;

/** Months that the rates of refunds and disputes go back. */
export const rateMonths = 6;

/** Whose days are meant; `UTC` where none is named. */
const TimeZone = Type.Optional(Text(64, 'a time zone such as Europe/Berlin'));

const Count = Type.Integer();
const Counts = Type.Array(Count);

/** Of one currency in one span of time, by when payments, refunds and disputes were made. Amounts in minor units. */
export const SpanFigures = Type.Object({
  /** Payments that succeeded, before refunds. */
  payments: Count,
  volume: Count,
  /** Succeeded, authorized or voided: the issuer agreed. */
  approved: Count,
  /** Failed, without those that nobody finished. */
  declined: Count,
  /** That succeeded. */
  refunds: Count,
  refunded: Count,
  /** Without requests for information. */
  disputes: Count,
  disputed: Count,
});
export type SpanFigures = Static<typeof SpanFigures>;

/** A span up to now, and the one before it up to the same time of day. */
const Compared = Type.Object({ now: SpanFigures, before: SpanFigures });

/** The key figures of one currency. */
export const CurrencyFigures = Type.Object({
  currency: Type.String(),
  today: Compared,
  days_7: Compared,
  days_30: Compared,
  /** Volume of each of the 30 days, oldest first. */
  daily_volume: Counts,
});
export type CurrencyFigures = Static<typeof CurrencyFigures>;

const Endpoint = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String()),
  url: Type.String(),
  status: Type.Enum(['active', 'paused']),
  first_attempts: Counts,
  first_succeeded: Counts,
  retries: Count,
  retries_succeeded: Count,
  pending: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Counted up to 10,000.' }),
  /** Account time of the oldest event that still waits. */
  oldest_pending_at: Nullable(IsoTime),
});

/** Days as `YYYY-MM-DD`, oldest first; every list below has one entry for each. */
const Days = Type.Array(Type.String());

/** What the six charts show. Rates are left to who shows them: these are the numbers behind them. */
export const Charts = Type.Object({
  /** False: older payments are still being counted, so that the sums are too small for a while. */
  complete: Type.Boolean(),
  /** Currencies of the range, the one with most payments first. */
  currencies: Type.Array(Type.String()),
  /** Of volume and rates; null where there was no payment. */
  currency: Nullable(Type.String()),
  days: Days,
  volume: Type.Object({ payments: Counts, amount: Counts }),
  success: Type.Object({
    approved: Counts,
    declined: Counts,
    /** Expired or abandoned: counted apart. */
    unfinished: Counts,
  }),
  /** The most frequent reasons first, then `other`. */
  declines: Type.Array(Type.Object({ code: Type.String(), payments: Counts })),
  /** By the month in which the payment was made. */
  months: Type.Object({
    /** `YYYY-MM`, oldest first. */
    labels: Type.Array(Type.String()),
    payments: Counts,
    amount: Counts,
    refunds: Counts,
    refunded: Counts,
    disputes: Counts,
    disputed: Counts,
  }),
  /** Of the requests of API keys, in real time. Milliseconds, exact to about 5 %; null where there were none. */
  latency: Type.Object({
    days: Days,
    requests: Counts,
    p50: Type.Array(Nullable(Count)),
    p95: Type.Array(Nullable(Count)),
    p99: Type.Array(Nullable(Count)),
  }),
  /** In real time. Null where the person's role does not show endpoints. */
  webhooks: Nullable(Type.Object({ days: Days, endpoints: Type.Array(Endpoint) })),
});
export type Charts = Static<typeof Charts>;

export const figureOperations = {
  retrieveKeyFigures: {
    id: 'retrieveKeyFigures',
    method: 'GET',
    path: '/accounts/:account/figures',
    roles: rolesFor.viewing,
    query: Type.Object({ time_zone: TimeZone }),
    answers: {
      200: Type.Object({
        /** See `Charts`. */
        complete: Type.Boolean(),
        /** The one with most payments first. */
        data: Type.Array(CurrencyFigures),
      }),
    },
  },
  retrieveCharts: {
    id: 'retrieveCharts',
    method: 'GET',
    path: '/accounts/:account/charts',
    roles: rolesFor.viewing,
    query: Type.Object({
      range: Type.Optional(Type.Enum([...chartRanges], { description: 'days up to today; default 30' })),
      currency: Type.Optional(Currency),
      time_zone: TimeZone,
    }),
    answers: { 200: Charts },
  },
} as const satisfies Record<string, DashboardOperation>;
