import type { CurrencyFigures, SpanFigures } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { Calendar } from '../figures/calendar.ts';
import { disputesBySpan, paymentsByDay, paymentsBySpan, refundsBySpan, type Span } from './figures-store.ts';
import { perPlace } from './per-place.ts';

const quarterMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;
const lengths = { today: 1, days_7: 7, days_30: 30 } as const;
type SpanName = keyof typeof lengths;
const names = Object.keys(lengths) as SpanName[];

/** The end of the quarter hour in which a time lies: sums are kept by quarters. */
export const endOfQuarter = (time: Date): Date =>
  new Date((Math.floor(time.getTime() / quarterMs) + 1) * quarterMs);

/** Each span up to now, and the days before it up to the same time of day. @param now account time */
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

/** The key figures of each currency that was used in the last 60 days, the one with most payments first. */
export async function readKeyFigures(
  db: Queryable,
  tenant: Tenant,
  now: Date,
  calendar: Calendar,
): Promise<CurrencyFigures[]> {
  const spans = spansUpTo(now, calendar);
  const days = calendar.days(now, lengths.days_30).map(({ from }) => from);
  const [payments, refunds, disputes, daily] = await Promise.all([
    paymentsBySpan(db, tenant, spans),
    refundsBySpan(db, tenant, spans, 'refund'),
    disputesBySpan(db, tenant, spans),
    paymentsByDay(db, tenant, { days, to: endOfQuarter(now) }),
  ]);
  const found = new Map<string, Map<string, SpanFigures>>();
  const add = (row: { readonly currency: string; readonly name: string }, figures: Partial<SpanFigures>) => {
    const ofCurrency = found.get(row.currency) ?? new Map<string, SpanFigures>();
    found.set(
      row.currency,
      ofCurrency.set(row.name, { ...nothing, ...ofCurrency.get(row.name), ...figures }),
    );
  };
  for (const { name: _name, currency: _currency, ...figures } of payments) {
    add({ name: _name, currency: _currency }, figures);
  }
  for (const row of refunds) add(row, { refunds: row.count, refunded: row.amount });
  for (const row of disputes) add(row, { disputes: row.count, disputed: row.amount });

  const attempts = ({ days_30: { now: last, before } }: CurrencyFigures) =>
    last.approved + last.declined + before.approved + before.declined;
  return [...found]
    .map(([currency, spansOf]): CurrencyFigures => {
      const compared = (name: SpanName) => ({
        now: spansOf.get(`${name} now`) ?? nothing,
        before: spansOf.get(`${name} before`) ?? nothing,
      });
      return {
        currency,
        today: compared('today'),
        days_7: compared('days_7'),
        days_30: compared('days_30'),
        daily_volume: perPlace(
          days.length,
          daily.filter((row) => row.currency === currency),
          ({ amount }) => amount,
        ),
      };
    })
    .toSorted((one, other) => attempts(other) - attempts(one) || (one.currency < other.currency ? -1 : 1));
}
