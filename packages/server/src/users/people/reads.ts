import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** SQL that joins a person as `u`. @param id SQL of the person's id */
export const joinUser = (id: string): string => `join users u on u.id = ${id}`;

/** SQL condition: a person has a role in an account. Each argument is SQL. */
export const hasRole = (account: string, user: string, role: string): string =>
  `exists (select from memberships where account_id = ${account} and user_id = ${user} and role = ${role})`;

export interface StaffAnswerRow {
  readonly email: string;
  /** State and status of the dispute after the answer. */
  readonly state: string | null;
  readonly status: string | null;
}

/** The answers to a dispute from the dashboard, with the person who gave each. */
export async function staffAnswers(db: Queryable, tenant: Tenant, id: string): Promise<StaffAnswerRow[]> {
  return db.query<StaffAnswerRow>({
    text: `select email, after ->> 'state' as state, after ->> 'status' as status from audit_log
           where account_id = $1 and tenant = $2 and object_id = $3
             and action in ('dispute.accepted', 'dispute.defended') and email is not null
           order by id`,
    values: [tenant.accountId, tenant.tenant, id],
    scope: tenant,
  });
}

export interface AuditEntryRow {
  readonly action: string;
  readonly email: string | null;
  /** The refund's id, if the entry is about a refund. */
  readonly refund: string | null;
}

/** The audit entries of members who captured, voided or refunded a payment in the dashboard. */
export function auditEntriesOn(db: Queryable, tenant: Tenant, paymentId: string): Promise<AuditEntryRow[]> {
  return db.query<AuditEntryRow>({
    name: 'dashboard_audit_entries_on',
    text: `select action, email, after ->> 'refund' as refund from audit_log
           where account_id = $1 and tenant = $2 and object_id = $3 and action like 'payment.%'
             and after ->> 'outcome' is distinct from 'nothing_changed' order by id limit 200`,
    values: [tenant.accountId, tenant.tenant, paymentId],
    scope: tenant,
  });
}

/** Counts an account's owners and admins, and those of them who sign in with a second factor. */
export async function managersBySecondFactor(
  db: Queryable,
  accountId: string,
): Promise<{ readonly all: number; readonly protected: number }> {
  const [row] = await db.query<{ all: number; protected: number }>({
    name: 'managers_by_second_factor',
    text: `select count(*)::int as all, count(*) filter (where ${hasSecondFactor('m.user_id')})::int as protected
           from memberships m where m.account_id = $1 and m.role in ('owner', 'admin')`,
    values: [accountId],
    scope: { accountId },
  });
  return row ?? { all: 0, protected: 0 };
}

/** SQL condition: a person signs in with a second factor. Works at home, and in a cell that has a copy of the person. */
export const hasSecondFactor = (user: string): string =>
  `(exists (select from user_totp where user_id = ${user} and enabled_at is not null)
    or exists (select from users where id = ${user} and has_totp_at_home))`;
