import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** The event log as a list, and the prefix of its ids. */
export const eventList = { table: 'events', prefix: 'evt' } as const;

/** Event types that may report a movement of money. */
const moving = ['payment.succeeded', 'refund.succeeded', 'refund.failed'] as const;

export interface MoneyEvent {
  readonly seq: number;
  readonly type: (typeof moving)[number];
  readonly sequence: number;
  readonly created_at: Date;
  readonly object: string;
}

interface Range {
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
}

/** The next events of a time range, in the order of their commits. @param places above `low`, up to and including `high` */
export function nextMoneyEvents(
  db: Database,
  tenant: Tenant,
  { from, to }: Range,
  places: { readonly low: number; readonly high: number },
  limit: number,
): Promise<MoneyEvent[]> {
  return db.query<MoneyEvent>({
    name: 'moving_events',
    text: `select e.seq, e.type, e.sequence, e.created_at, e.object from events e
           where e.tenant = $1 and e.type = any($2) and e.seq > $3 and e.seq <= $4
             and e.created_at >= $5 and e.created_at < $6
           order by e.seq limit $7`,
    values: [tenant.tenant, moving, places.low, places.high, from, to, limit],
    scope: tenant,
  });
}
