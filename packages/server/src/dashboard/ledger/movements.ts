import type { Ledger } from '@till/contract/dashboard';
import { eventList, type MovingEvent, nextMovingEvents } from '../../events/moving-events.ts';
import { reversals } from '../../payment-alerts/sql.ts';
import { placesOf } from '../../payments/search/places.ts';
import { joinPayment } from '../../payments/sql.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

const rowsAtOnce = 1000;

/** One movement of money. */
export interface Movement {
  /** Account time. */
  readonly at: Date;
  readonly type: Ledger['sums'][number]['type'];
  /** In minor units; negative where money went out. */
  readonly amount: number;
  readonly currency: string;
  readonly payment: string;
  /** Of the payment, refund or dispute. */
  readonly object: string;
  readonly reference: string | null;
}

interface Shown {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly payment?: string;
  readonly reference?: string | null;
  readonly capture_method?: string;
  readonly state?: string;
  readonly status?: string;
}

const objectOf = (text: string): Shown => JSON.parse(text) as Shown;

/** Whether the issuer holds the money of a dispute back. @param inquiryRefunds an inquiry that is accepted or lost gives it back */
const takesMoney = ({ state, status }: Shown, inquiryRefunds: boolean): boolean =>
  state === 'information_request'
    ? inquiryRefunds && (status === 'accepted' || status === 'lost')
    : status !== 'won' && status !== 'recovered';

const lineOf = (
  { created_at: at }: Pick<MovingEvent, 'created_at'>,
  object: Shown,
  type: Movement['type'],
  sign: 1 | -1,
): Movement => ({
  at,
  type,
  amount: sign * object.amount,
  currency: object.currency,
  payment: object.payment ?? object.id,
  object: object.id,
  reference: object.reference ?? null,
});

/** The movements that an event stands for. */
function movementsOf(event: MovingEvent, inquiryRefunds: boolean): Movement[] {
  const object = objectOf(event.object);
  switch (event.type) {
    case 'payment.succeeded':
      return [lineOf(event, object, object.capture_method === 'manual' ? 'capture' : 'payment', 1)];
    case 'refund.succeeded':
      return [lineOf(event, object, 'refund', -1)];
    case 'refund.failed':
      // One that failed at once never moved anything; the second event of a refund takes the first one back.
      return event.sequence > 1 ? [lineOf(event, object, 'refund_reversed', 1)] : [];
    default:
      return movementsOfDispute(event, object, inquiryRefunds);
  }
}

/** What was taken before goes back where it is not taken any more, or where it is another amount: then that is taken. */
function movementsOfDispute(event: MovingEvent, object: Shown, inquiryRefunds: boolean): Movement[] {
  const before = event.before === null ? null : objectOf(event.before);
  const taken = before !== null && takesMoney(before, inquiryRefunds) ? before : null;
  const takes = takesMoney(object, inquiryRefunds);
  if (takes && taken?.amount === object.amount && taken.currency === object.currency) return [];
  return [
    ...(taken === null ? [] : [lineOf(event, taken, 'chargeback_reversed', 1)]),
    ...(takes ? [lineOf(event, object, 'chargeback', -1)] : []),
  ];
}

interface ReversalRow {
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  readonly created_at: Date;
}

/** Payments that their processor took back in a range, or never collected. */
async function reversalsIn(
  db: Database,
  tenant: Tenant,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Movement[]> {
  const rows = await db.query<ReversalRow>({
    name: 'dashboard_reversals',
    text: reversals(joinPayment('a')),
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
  return rows.map(reversalOf);
}

const reversalOf = ({ payment, amount, currency, reference, created_at: at }: ReversalRow): Movement => ({
  at,
  type: 'reversal',
  amount: -amount,
  currency,
  payment,
  object: payment,
  reference,
});

/** All movements of a range of account time, page by page, in the order of their times or nearly so. */
export async function* movementsIn(
  db: Database,
  tenant: Tenant,
  { inquiryRefunds, ...range }: { readonly from: Date; readonly to: Date; readonly inquiryRefunds: boolean },
): AsyncGenerator<Movement[]> {
  const takenBack = await reversalsIn(db, tenant, range);
  let places = await placesOf(db, tenant, range, eventList);
  for (;;) {
    const events = await nextMovingEvents(db, tenant, range, places, rowsAtOnce);
    const movements = events.flatMap((event) => movementsOf(event, inquiryRefunds));
    const last = events.at(-1);
    const isEnd = events.length < rowsAtOnce || last === undefined;
    const due = takenBack.findIndex(({ at }) => !isEnd && at > last.created_at);
    movements.push(...takenBack.splice(0, due < 0 ? takenBack.length : due));
    yield movements.toSorted((one, other) => one.at.getTime() - other.at.getTime());
    if (isEnd) return;
    places = { ...places, low: last.seq };
  }
}
