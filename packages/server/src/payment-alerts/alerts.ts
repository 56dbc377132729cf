import type { AccountContext } from '../accounts/context.ts';
import { paymentAlertMail } from '../mail/alert-mails.ts';
import { addressMails, type MailDependencies } from '../mail/queue-mail.ts';
import type { Queryable } from '../store/database.ts';
import type { PaymentAlertKind } from './kinds.ts';
import { type NewAlert, recordAlert } from './store.ts';

export { type AlertRow, alertsOf, closeAlert } from './store.ts';

/** What an alert says of its payment. `amount` in minor units. */
export interface AlertSubject {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
}

export interface AlertDependencies {
  readonly db: Queryable;
  readonly mail: MailDependencies;
}

/** An alert with a mail for each owner and admin, for the commit that it belongs to. Nothing is written here. */
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
  return { kind, mails: await addressMails(mail, context.accountId, message) };
}

/**
 * Records what a processor said against a settled payment, and mails the owners and admins, in one commit. Said again, it
 * is neither recorded nor mailed again. What was taken back with it is booked in the same commit.
 * @param said what the processor says it took back, in minor units; null: it does not say
 * @returns whether it is new
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
