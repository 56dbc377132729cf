import type { CardTestingKind } from '@till/contract/dashboard';
import { int, oneOf, type RowOf, tenantColumns, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

export type Effect = 'slowed' | 'refused';

export const markColumns = {
  ...tenantColumns,
  payment_id: text,
  effect: oneOf<Effect>(),
  because: oneOf<CardTestingKind>(),
  times: int,
  at: time,
} as const;

/** How attempts to pay one payment were slowed down or refused. `at` is the account time of the first such attempt. */
export type MarkRow = Pick<RowOf<typeof markColumns>, 'effect' | 'because' | 'times' | 'at'>;

/** The marks of a payment, oldest first. */
export function cardTestingMarksOf(db: Queryable, tenant: Tenant, paymentId: string): Promise<MarkRow[]> {
  return db.query<MarkRow>({
    name: 'card_testing_marks_of',
    text: `select effect, because, times, at from card_testing_marks
           where tenant = $1 and payment_id = $2 order by at, effect desc, because`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
}

/** The numbers of attempts that were slowed down or refused, and of the payments concerned. */
export interface CardTestingSum {
  readonly slowed: number;
  readonly refused: number;
  readonly payments: number;
}

/** Sums up the marks whose first attempt came after a time. @param since account time */
export async function cardTestingSince(db: Queryable, tenant: Tenant, since: Date): Promise<CardTestingSum> {
  const [row] = await db.query<CardTestingSum>({
    name: 'card_testing_since',
    text: `select coalesce(sum(times) filter (where effect = 'slowed'), 0)::int as slowed,
             coalesce(sum(times) filter (where effect = 'refused'), 0)::int as refused,
             count(distinct payment_id)::int as payments
           from card_testing_marks where tenant = $1 and at > $2`,
    values: [tenant.tenant, since],
    scope: tenant,
  });
  return row ?? { slowed: 0, refused: 0, payments: 0 };
}
