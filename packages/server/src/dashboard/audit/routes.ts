import { type AuditEntry, dashboardApi } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { type AuditRow, listAudit } from '../../users/audit/audit.ts';
import type { DashboardApi } from '../api.ts';
import { cappedPage, pageOf } from '../developers/pages.ts';
import { readRange } from '../developers/times.ts';

const present = (row: AuditRow): AuditEntry => ({
  id: row.id,
  action: row.action,
  actor: { type: row.actor_type, user_id: row.user_id, email: row.email },
  object_id: row.object_id,
  before: row.before,
  after: row.after,
  ip: row.ip,
  livemode: row.livemode,
  created_at: isoSeconds(row.created_at),
});

/** The operation that lists the audit log of an account. */
export function auditDashboardRoutes(api: DashboardApi, { reads }: { readonly reads: Queryable }): void {
  api.mount(dashboardApi.listAuditEntries, async ({ staff, query }) => {
    const { actor, action, object } = query;
    const place = pageOf(query);
    const filter = { actor, action, object, ...readRange(query) };
    const { rows, ...count } = await listAudit(reads, staff.accountId, filter, place);
    return { status: 200, body: cappedPage(rows.map(present), count, place) };
  });
}
