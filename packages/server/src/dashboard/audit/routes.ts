import { invalidParam } from '@till/contract';
import { type AuditEntry, dashboardApi } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { type AuditRow, listAudit } from '../../users/audit.ts';
import type { DashboardApi } from '../api.ts';

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

/** @throws ApiError `invalid_params` for a date that no calendar has */
function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime()) && isoSeconds(time) === text) return time;
  throw invalidParam(name, `${name} must be a time that exists, such as 2026-11-20T12:00:00Z.`);
}

/** Who did what in an account. */
export function auditDashboardRoutes(api: DashboardApi, { db }: { readonly db: Queryable }): void {
  api.mount(dashboardApi.listAuditEntries, async ({ staff, query }) => {
    const { page = 1, per_page: perPage = 20, actor, action, object } = query;
    const from = readTime('from', query.from);
    const to = readTime('to', query.to);
    const filter = { actor, action, object, from, to };
    const { rows, total } = await listAudit(db, staff.accountId, filter, { page, perPage });
    return {
      status: 200,
      body: {
        object: 'list',
        data: rows.map(present),
        has_more: page * perPage < total,
        total_count: total,
      },
    };
  });
}
