import { type Attention, attentionLimits } from '@till/contract/dashboard';
import { cardTestingSince } from '../../card-testing/reads.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { First } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import {
  disputesDue,
  failedRefunds,
  failingEndpoints,
  guaranteesEnding,
  holdsEnding,
  openAlerts,
  operationsInDoubt,
  stuckRefunds,
} from './attention-store.ts';

const hourMs = 3_600_000;
/** Younger operations are still in flight and count as normal. */
const doubtMs = 60_000;

const present = <Row, Item>({ total, rows }: First<Row>, item: (row: Row) => Item) => ({
  total,
  data: rows.map(item),
});
const showTime = (time: Date | null): string | null => time && isoSeconds(time);

/** Everything that needs a person's attention. @param now account time @param seesEndpoints if false, endpoints are left out */
export async function readAttention(
  db: Queryable,
  tenant: Tenant,
  { now, seesEndpoints }: { readonly now: Date; readonly seesEndpoints: boolean },
): Promise<Attention> {
  const shifted = (ms: number) => new Date(now.getTime() + ms);
  const { holdHours, guaranteeHours, refundHours } = attentionLimits;
  const [disputes, alerts, holds, guarantees, failed, endpoints, refunds, operations, cardTesting] =
    await Promise.all([
      disputesDue(db, tenant),
      openAlerts(db, tenant),
      holdsEnding(db, tenant, now, shifted(holdHours * hourMs)),
      guaranteesEnding(db, tenant, shifted(-guaranteeHours * hourMs), shifted(guaranteeHours * hourMs)),
      failedRefunds(db, tenant),
      seesEndpoints ? failingEndpoints(db, tenant.accountId) : null,
      stuckRefunds(db, tenant, shifted(-refundHours * hourMs)),
      operationsInDoubt(db, tenant, shifted(-doubtMs)),
      cardTestingSince(db, tenant, shifted(-attentionLimits.cardTestingHours * hourMs)),
    ]);
  return {
    disputes: present(disputes, (row) => ({ ...row, respond_by: showTime(row.respond_by) })),
    alerts: present(alerts, (row) => ({ ...row, created_at: isoSeconds(row.created_at) })),
    holds: present(holds, (row) => ({
      ...row,
      authorization_expires: isoSeconds(row.authorization_expires),
    })),
    guarantees: present(guarantees, (row) => ({
      ...row,
      authorization_guaranteed_until: isoSeconds(row.authorization_guaranteed_until),
    })),
    failed_refunds: present(failed, (row) => ({ ...row, created_at: isoSeconds(row.created_at) })),
    endpoints:
      endpoints && present(endpoints, (row) => ({ ...row, failing_since: showTime(row.failing_since) })),
    refunds: present(refunds, (row) => ({ ...row, created_at: isoSeconds(row.created_at) })),
    card_testing: cardTesting,
    in_doubt: present(operations, (row) => ({
      ...row,
      since: isoSeconds(row.since),
      next_try_at: showTime(row.next_try_at),
    })),
  };
}
