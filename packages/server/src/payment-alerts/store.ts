import { insertMails, mailColumns, type NewMail } from '../mail/store.ts';
import {
  type Cte,
  cte,
  type KeyColumn,
  keyColumns,
  nullable,
  oneOf,
  type RowOf,
  time,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { PaymentAlertKind } from './kinds.ts';

interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** What a commit writes with a change of a payment that somebody has to look at. */
export interface NewAlert {
  readonly kind: PaymentAlertKind;
  readonly mails: readonly NewMail[];
}

/** Columns that the input of a statement has for `insertAlerts`. */
export const alertColumns = { alert: nullable(oneOf<PaymentAlertKind>()), ...mailColumns } as const;

/** An alert as `alertColumns` of an input row. */
export const alertInput = (alert: NewAlert | null): RowOf<typeof alertColumns> => ({
  alert: alert?.kind ?? null,
  mails: alert?.mails ?? null,
});

const alertMails = cte('alert_mails_in', { account_id: keyColumns.account_id, ...mailColumns });

/**
 * CTEs that record the alerts of a CTE's rows, whose `id` is the payment's, with their mails. One that is on record already
 * is neither recorded nor sent again.
 * @param at the column with the account time
 */
export const insertAlerts = <At extends string>(
  { name: source }: Cte<KeyColumn | keyof typeof alertColumns | At>,
  at: At,
): string => `alerts_in as (
    insert into payment_alerts (account_id, livemode, payment_id, kind, created_at)
    select account_id, livemode, id, alert, ${at} from ${source} where alert is not null
    on conflict (account_id, livemode, payment_id, kind) do nothing
    returning account_id, payment_id, kind),
  ${alertMails.name} as (
    select s.account_id, s.mails from ${source} s
    join alerts_in a on a.account_id = s.account_id and a.payment_id = s.id and a.kind = s.alert),
  alert_mails_done as (${insertMails(alertMails)})`;

/** Records an alert with its mails. @param at account time. @returns false where it is on record already */
export async function recordAlert(
  db: Queryable,
  payment: { readonly account_id: string; readonly livemode: boolean; readonly id: string },
  alert: NewAlert,
  at: Date,
): Promise<boolean> {
  const rows = await db.query({
    name: 'record_payment_alert',
    text: `with input as (
             select $1::text as account_id, $2::boolean as livemode, $3::text as id, $4::text as alert,
               $5::json as mails, $6::timestamptz as at),
           ${insertAlerts(cte('input', { ...keyColumns, ...alertColumns, at: time }), 'at')}
           select 1 from alerts_in`,
    values: [payment.account_id, payment.livemode, payment.id, alert.kind, JSON.stringify(alert.mails), at],
    scope: payment,
  });
  return rows.length === 1;
}

/** An alert as the database keeps it. Times in account time. */
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
           where account_id = $1 and livemode = $2 and payment_id = $3 order by created_at, kind`,
    values: [tenant.accountId, tenant.livemode, paymentId],
    scope: tenant,
  });
}

/** Somebody says that an alert is dealt with. @param at account time. @returns false where there is no open one */
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
    text: `update payment_alerts set acknowledged_at = $5, acknowledged_by = $6
           where account_id = $1 and livemode = $2 and payment_id = $3 and kind = $4 and acknowledged_at is null
           returning 1`,
    values: [tenant.accountId, tenant.livemode, alert.paymentId, alert.kind, alert.at, alert.by],
    scope: tenant,
  });
  return rows.length === 1;
}
