import type { AccountContext } from '../accounts/context.ts';
import { paymentAlertMail } from '../mail/alert-mails.ts';
import { buildMails, type MailDependencies } from '../mail/queue-mail.ts';
import type { Queryable } from '../store/database.ts';
import type { PaymentAlertKind } from './kinds.ts';
import { type NewAlert, recordAlert } from './store.ts';

export { type AlertRow, alertsOf, closeAlert } from './store.ts';

/** The payment's data that the alert mail names. `amount` in minor units. */
export interface AlertSubject {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
}

export interface AlertDependencies {
  readonly db: Queryable;
  readonly mail: MailDependencies;
}

/** Builds an alert with a mail for each owner and admin. Writes nothing: the caller's commit records it. */
export async function newAlert(
  { mail }: AlertDependencies,
  context: AccountContext,
  payment: AlertSubject,
  kind: PaymentAlertKind,
): Promise<NewAlert> {
  const message = paymentAlertMail({
    kind,
    accountName: context.accountName,
    livemode: context.livemode,
    paymentId: payment.id,
    amount: payment.amount,
    currency: payment.currency,
  });
  return { kind, mails: await buildMails(mail, context.accountId, message) };
}

/**
 * Records a processor's objection to a settled payment, books the money taken back with it, and queues mails to the owners and
 * admins, in one commit. An alert of the same kind for the payment is neither recorded nor mailed a second time.
 * @param said the amount that the processor reports as taken back, in minor units; null if it reports none
 * @returns whether the alert is new
 */
export async function raiseAlert(
  deps: AlertDependencies,
  context: AccountContext,
  payment: AlertSubject,
  kind: PaymentAlertKind,
  said: number | null = null,
): Promise<boolean> {
  const alert = await newAlert(deps, context, payment, kind);
  return recordAlert(deps.db, context, { paymentId: payment.id, alert, at: context.now, said });
}
