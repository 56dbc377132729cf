import type { Ledger } from '@till/contract/dashboard';
import { eventList, type MoneyEvent, nextMoneyEvents } from '../../events/money-events.ts';
import { type MovementRow, movementsBetween } from '../../payment-alerts/movements.ts';
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
  /** In minor units; negative if money went out. */
  readonly amount: number;
  readonly currency: string;
  readonly payment: string;
  /** Id of the payment, refund or dispute. */
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
}

const objectOf = (text: string): Shown => JSON.parse(text) as Shown;

const lineOf = (
  { created_at: at }: Pick<MoneyEvent, 'created_at'>,
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

/** The movement that an event represents; undefined if it moved no money. */
function movementOf(event: MoneyEvent): Movement | undefined {
  const object = objectOf(event.object);
  switch (event.type) {
    case 'payment.succeeded':
      return lineOf(event, object, object.capture_method === 'manual' ? 'capture' : 'payment', 1);
    case 'refund.succeeded':
      return lineOf(event, object, 'refund', -1);
    case 'refund.failed':
      // A refund that failed at once never moved money. A later event reverses one that had succeeded.
      return event.sequence > 1 ? lineOf(event, object, 'refund_reversed', 1) : undefined;
  }
}

const takenOf = ({
  created_at: at,
  payment_id: payment,
  dispute_id: dispute,
  ...row
}: MovementRow): Movement => ({
  at,
  type: row.type,
  amount: row.amount,
  currency: row.currency,
  payment,
  object: dispute ?? payment,
  reference: row.reference,
});

interface Range {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** Amounts that processors took back and returned in a time range, in order. One page of them is in memory at a time. */
async function* takenIn(db: Database, tenant: Tenant, range: Range): AsyncGenerator<Movement> {
  const page = { withPayment: joinPayment('m'), max: rowsAtOnce };
  let after: MovementRow | null = null;
  do {
    const rows: MovementRow[] = await movementsBetween(db, tenant, range, { ...page, after });
    yield* rows.map(takenOf);
    after = rows.length < rowsAtOnce ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

/** All movements in a range of account time, page by page, approximately in the order of their times. */
export async function* movementsIn(db: Database, tenant: Tenant, range: Range): AsyncGenerator<Movement[]> {
  const takenBack = takenIn(db, tenant, range);
  let next = await takenBack.next();
  let places = await placesOf(db, tenant, range, eventList);
  for (let isEnd = false; !isEnd || next.done !== true; ) {
    const events: MoneyEvent[] = isEnd ? [] : await nextMoneyEvents(db, tenant, range, places, rowsAtOnce);
    isEnd = events.length < rowsAtOnce;
    const movements = events.flatMap((event) => movementOf(event) ?? []);
    const last = events.at(-1);
    // After the last page of events, the remaining rows follow in pages.
    const max = movements.length + rowsAtOnce;
    while (
      next.done !== true &&
      (isEnd ? movements.length < max : last && next.value.at <= last.created_at)
    ) {
      movements.push(next.value);
      next = await takenBack.next();
    }
    yield movements.toSorted((one, other) => one.at.getTime() - other.at.getTime());
    if (last !== undefined) places = { ...places, low: last.seq };
  }
}
