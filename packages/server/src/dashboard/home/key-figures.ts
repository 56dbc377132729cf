import type { CurrencyFigures, SpanFigures } from '@till/contract/dashboard';
import { disputesBySpan, type Span, type SpanSum } from '../../disputes/spans.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { Calendar } from '../figures/calendar.ts';
import { type Measure, measures } from '../figures/measures.ts';
import { type FigureSum, readFigures } from '../figures/reads.ts';
import { perPlace } from './per-place.ts';

const quarterMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;
const lengths = { today: 1, days_7: 7, days_30: 30 } as const;
type SpanName = keyof typeof lengths;
const names = Object.keys(lengths) as SpanName[];

/** The end of the quarter hour in which a time lies. Sums are stored per quarter hour. */
export const endOfQuarter = (time: Date): Date =>
  new Date((Math.floor(time.getTime() / quarterMs) + 1) * quarterMs);

/** Each span up to now, and the span of the same length before it, up to the same time of day. @param now account time */
function spansUpTo(now: Date, calendar: Calendar): Span[] {
  const to = endOfQuarter(now);
  const days = calendar.days(now, 2 * lengths.days_30);
  const beginning = (daysBack: number) => days.at(-daysBack)?.from ?? now;
  return names.flatMap((name) => {
    const length = lengths[name];
    return [
      { name: `${name} now`, from: beginning(length), to },
      { name: `${name} before`, from: beginning(2 * length), to: new Date(to.getTime() - length * dayMs) },
    ];
  });
}

const nothing: SpanFigures = {
  payments: 0,
  volume: 0,
  approved: 0,
  declined: 0,
  refunds: 0,
  refunded: 0,
  disputes: 0,
  disputed: 0,
};

/** The figures that each measure is added to. */
const addedTo: Readonly<Partial<Record<Measure, readonly [keyof SpanFigures, 'count' | 'amount'][]>>> = {
  payments_succeeded: [
    ['payments', 'count'],
    ['volume', 'amount'],
    ['approved', 'count'],
  ],
  payments_held: [['approved', 'count']],
  payments_declined: [['declined', 'count']],
  refunds: [
    ['refunds', 'count'],
    ['refunded', 'amount'],
  ],
};

function sumUp(sums: readonly FigureSum[], disputes: SpanSum | undefined): SpanFigures {
  const figures = { ...nothing, disputes: disputes?.count ?? 0, disputed: disputes?.amount ?? 0 };
  for (const sum of sums) {
    for (const [name, value] of addedTo[sum.measure] ?? []) figures[name] += sum[value];
  }
  return figures;
}

/** The key figures of each currency that was used in the last 60 days, the currency with the most payments first. */
export async function readKeyFigures(
  db: Queryable,
  tenant: Tenant,
  now: Date,
  calendar: Calendar,
): Promise<CurrencyFigures[]> {
  const spans = spansUpTo(now, calendar);
  const days = calendar.days(now, lengths.days_30).map(({ from }) => from);
  // Every time at which a span or day begins or ends. Each span and each day is a sum of the intervals between neighbouring
  // times.
  const times = [...days, ...spans.flatMap(({ from, to }) => [from, to])].toSorted(
    (one, other) => one.getTime() - other.getTime(),
  );
  const [sums, disputes] = await Promise.all([
    readFigures(db, tenant, [...measures.payments, 'refunds'], times),
    disputesBySpan(db, tenant, spans),
  ]);
  const startOf = ({ place }: FigureSum) => times[place] ?? now;
  const isIn = (sum: FigureSum, { from, to }: Span) => startOf(sum) >= from && startOf(sum) < to;
  const used = sums.filter((sum) => spans.some((span) => isIn(sum, span)));
  const currencies = new Set([...used.map(({ label }) => label), ...disputes.map((row) => row.currency)]);

  const attempts = ({ days_30: { now: last, before } }: CurrencyFigures) =>
    last.approved + last.declined + before.approved + before.declined;
  return [...currencies]
    .map((currency): CurrencyFigures => {
      const own = used.filter(({ label }) => label === currency);
      const figuresOf = (name: string) =>
        sumUp(
          own.filter((sum) => spans.some((span) => span.name === name && isIn(sum, span))),
          disputes.find((row) => row.name === name && row.currency === currency),
        );
      const compared = (name: SpanName) => ({
        now: figuresOf(`${name} now`),
        before: figuresOf(`${name} before`),
      });
      const volumes = own
        .filter(({ measure }) => measure === 'payments_succeeded')
        .map((sum) => ({ ...sum, place: days.findLastIndex((day) => day <= startOf(sum)) }));
      return {
        currency,
        today: compared('today'),
        days_7: compared('days_7'),
        days_30: compared('days_30'),
        daily_volume: perPlace(
          days.length,
          volumes.filter(({ place }) => place >= 0),
          ({ amount }) => amount,
        ),
      };
    })
    .toSorted((one, other) => attempts(other) - attempts(one) || (one.currency < other.currency ? -1 : 1));
}
