import { insertMails, mailColumns, type NewMail } from '../mail/store.ts';
import {
  type Cte,
  cte,
  type KeyColumn,
  keyColumns,
  listOf,
  nullable,
  oneOf,
  type RowOf,
  tenantColumns,
  text,
  time,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { isReversal, type PaymentAlertKind } from './kinds.ts';

/** An alert to record in the same commit as the change of its payment. */
export interface NewAlert {
  readonly kind: PaymentAlertKind;
  readonly mails: readonly NewMail[];
}

/** Input columns that `insertAlerts` requires. */
export const alertColumns = { alert: nullable(oneOf<PaymentAlertKind>()), ...mailColumns } as const;

/** The values of `alertColumns` for an alert; all null if there is none. */
export const alertInput = (alert: NewAlert | null): RowOf<typeof alertColumns> => ({
  alert: alert?.kind ?? null,
  mails: alert?.mails ?? null,
});

export const insertedColumns = {
  ...tenantColumns,
  payment_id: text,
  kind: oneOf<PaymentAlertKind>(),
  created_at: time,
} as const;

const alertMails = cte('alert_mails_in', { account_id: text, ...mailColumns });

/**
 * CTEs that record the alerts of the source CTE's rows and queue their mails. The source's `id` is the payment id. An alert that
 * is on record already is neither recorded nor mailed again.
 * @param at the source's column with the account time
 */
export const insertAlerts = <At extends string>(
  { name: source }: Cte<KeyColumn | keyof typeof alertColumns | At>,
  at: At,
): string => `alerts_in as (
    insert into payment_alerts (${listOf(insertedColumns)})
    select ${listOf(insertedColumns, 's', { payment_id: 's.id', kind: 's.alert', created_at: `s.${at}` })}
    from ${source} s where s.alert is not null
    on conflict (tenant, payment_id, kind) do nothing
    returning tenant, payment_id, kind),
  ${alertMails.name} as (
    select t.account_id, s.mails from ${source} s
    join alerts_in a on a.tenant = s.tenant and a.payment_id = s.id and a.kind = s.alert
    join tenants t on t.tenant = s.tenant),
  alert_mails_done as (${insertMails(alertMails)})`;

const recordSql = (books: string) => `with input as (
    select $1::int as tenant, $2::text as id, $3::text as alert, $4::json as mails, $5::timestamptz as at),
  ${insertAlerts(cte('input', { ...keyColumns, ...alertColumns, at: time }), 'at')}
  select ${books} from alerts_in`;

const recordStatement = { name: 'record_payment_alert', text: recordSql('1') };
const recordReversalStatement = {
  name: 'record_reversal',
  text: recordSql('book_reversal($1, $2, $3, $6, $5)'),
};

/**
 * Records an alert with its mails, and for a reversal books the money taken back.
 * @param at account time
 * @param said the amount that the processor reports as taken back, in minor units; null if it reports none
 * @returns false if the alert is on record already
 */
export async function recordAlert(
  db: Queryable,
  tenant: Tenant,
  {
    paymentId,
    alert,
    at,
    said = null,
  }: {
    readonly paymentId: string;
    readonly alert: NewAlert;
    readonly at: Date;
    readonly said?: number | null;
  },
): Promise<boolean> {
  const values = [tenant.tenant, paymentId, alert.kind, JSON.stringify(alert.mails), at];
  const rows = await db.query(
    isReversal(alert.kind)
      ? { ...recordReversalStatement, values: [...values, said], scope: tenant }
      : { ...recordStatement, values, scope: tenant },
  );
  return rows.length === 1;
}

/** An alert as stored. Times in account time. */
export interface AlertRow {
  readonly kind: PaymentAlertKind;
  readonly created_at: Date;
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: string | null;
}

/** The alerts of a payment, oldest first. */
export function alertsOf(db: Queryable, tenant: Tenant, paymentId: string): Promise<AlertRow[]> {
  return db.query<AlertRow>({
    name: 'alerts_of_payment',
    text: `select kind, created_at, acknowledged_at, acknowledged_by from payment_alerts
           where tenant = $1 and payment_id = $2 order by created_at, kind`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
}

/** Acknowledges an open alert of a payment. @param at account time @returns false if there is no open one */
export async function closeAlert(
  db: Queryable,
  tenant: Tenant,
  alert: {
    readonly paymentId: string;
    readonly kind: PaymentAlertKind;
    readonly by: string;
    readonly at: Date;
  },
): Promise<boolean> {
  const rows = await db.query({
    name: 'close_payment_alert',
    text: `update payment_alerts set acknowledged_at = $4, acknowledged_by = $5
           where tenant = $1 and payment_id = $2 and kind = $3 and acknowledged_at is null
           returning 1`,
    values: [tenant.tenant, alert.paymentId, alert.kind, alert.at, alert.by],
    scope: tenant,
  });
  return rows.length === 1;
}
