import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Currency, Nullable, Text } from '../../primitives/common.ts';

export const chartRanges = ['7', '30', '90'] as const;

/**
 * Failure codes of payments that nobody completed. They are counted separately, since no issuer declined
 * them.
 */
export const unfinishedCodes = [
  '3ds_abandoned',
  '3ds_token_expired',
  'confirmation_expired',
  'not_processed',
] as const;

/** Number of decline reasons that the chart shows separately. The others are summed up. */
export const declineLayers = 6;

/** Number of months that the refund and dispute rates cover. */
export const rateMonths = 6;

/** The time zone in which days begin. Default: `UTC`. */
const TimeZone = Type.Optional(Text(64, 'a time zone such as Europe/Berlin'));

const Count = Type.Integer();
const Counts = Type.Array(Count);

/**
 * Figures of one currency in one period, by the creation time of payments, refunds and disputes. Amounts are
 * in minor units.
 */
export const SpanFigures = Type.Object({
  /** Succeeded payments, before refunds. */
  payments: Count,
  volume: Count,
  /** Succeeded, authorized or voided: the issuer approved. */
  approved: Count,
  /** Failed payments, except those that nobody completed. */
  declined: Count,
  /** Succeeded refunds. */
  refunds: Count,
  refunded: Count,
  /** Without requests for information. */
  disputes: Count,
  disputed: Count,
});
export type SpanFigures = Static<typeof SpanFigures>;

/** A period up to now, and the preceding one up to the same time of day. */
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
  /** Account time of the oldest event that is still pending. */
  oldest_pending_at: Nullable(IsoTime),
});

/** Days as `YYYY-MM-DD`, oldest first. Every list below has one entry per day. */
const Days = Type.Array(Type.String());

/** The data of the six charts. It contains the counts behind the rates; the client calculates the rates. */
export const Charts = Type.Object({
  /** False while older payments are still being counted, so that the sums are too low. */
  complete: Type.Boolean(),
  /** Currencies of the period, the one with the most payments first. */
  currencies: Type.Array(Type.String()),
  /** Currency of volume and rates. Null if there was no payment. */
  currency: Nullable(Type.String()),
  days: Days,
  volume: Type.Object({ payments: Counts, amount: Counts }),
  success: Type.Object({
    approved: Counts,
    declined: Counts,
    /** Expired or abandoned payments, counted separately. */
    unfinished: Counts,
  }),
  /** The most frequent reasons first, then `other`. */
  declines: Type.Array(Type.Object({ code: Type.String(), payments: Counts })),
  /** By the month in which the payment was created. */
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
  /**
   * Latency of API requests, in real time. Milliseconds, accurate to about 5 %. Null for days without
   * requests.
   */
  latency: Type.Object({
    days: Days,
    requests: Counts,
    p50: Type.Array(Nullable(Count)),
    p95: Type.Array(Nullable(Count)),
    p99: Type.Array(Nullable(Count)),
  }),
  /** In real time. Null if the person's role may not see endpoints. */
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
        /** The currency with the most payments first. */
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
