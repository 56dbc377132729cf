import type { AccountContext } from '../../accounts/context.ts';
import { prepareMethod } from '../../payment-methods/payment-methods.ts';
import { insertPaymentMethods, type NewPaymentMethod } from '../../payment-methods/store.ts';
import { belongsToMerchant } from '../../processors/port/connected.ts';
import type { SavedInstrument } from '../../processors/port/instruments.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import { cte, json, keyColumns } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { hasUnanswered } from '../drafts.ts';
import type { PaymentRow } from '../payment.ts';
import { findPaymentByOrder } from '../reads.ts';
import { methodToSave } from '../settle-payment.ts';

/**
 * Attaches a token that came after the payment's answer: from now on the payment names the saved method, and the customer has
 * it (spec, "Saving behaviour").
 * @param sender identity of the merchant account from which the token came; null: not known
 * @returns `later` if the payment has no answer yet, or was made with another merchant account
 */
export async function attachLateToken(
  deps: PaymentDependencies,
  context: AccountContext,
  { paymentId, payment: upstream, saved }: Extract<NotificationEffect, { kind: 'instrument_saved' }>,
  sender: string | null,
): Promise<'applied' | 'later'> {
  // Read first: a payment that gets its answer between the two reads is then found by its order.
  const mayStillCome = await hasUnanswered(deps.db, context);
  const payment =
    paymentId === null
      ? await findPaymentByOrder(deps.db, context, upstream.order ?? '')
      : await deps.store.find(context, paymentId);
  // An unknown order may belong to a payment that has no answer yet.
  if (payment === undefined) return mayStillCome ? 'later' : 'applied';
  if (!belongsToMerchant(payment, sender)) return 'later';
  if (payment.status === 'processing' || payment.status === 'requires_action') return 'later';
  return attachSaved(deps, context, payment, saved);
}

/** Names the saved method on a settled payment, if it names none yet. */
export async function attachSaved(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  saved: SavedInstrument,
): Promise<'applied' | 'later'> {
  const options = methodToSave(payment, saved, context.now);
  if (options === null || payment.status === 'failed') return 'applied';
  const { id, row } = await prepareMethod(deps.methods, context, options);
  if (id === null) return 'applied';
  return (await nameMethod(deps.db, payment, id, row)) ? 'applied' : 'later';
}

const won = cte('won', { ...keyColumns, new_method: json() });

/**
 * Names the saved method on the payment that saved it, and inserts the method if it is new. The commit of a concurrent operation
 * does not overwrite the name.
 * @returns false if the payment names a method already
 */
async function nameMethod(
  db: Queryable,
  { tenant, id }: PaymentRow,
  methodId: string,
  newMethod: NewPaymentMethod | null,
): Promise<boolean> {
  const rows = await db.query({
    name: 'attach_payment_method',
    text: `with input as (
             select 0 as n, $1::int as tenant, $2::text as id, $4::json as new_method),
           won as (
             update payments p set payment_method_id = $3 from input i
             where p.tenant = i.tenant and p.id = i.id
               and p.payment_method_id is null
             returning i.*),
           methods_done as (${insertPaymentMethods(won)}) select 1 from won`,
    values: [tenant, id, methodId, newMethod && JSON.stringify(newMethod)],
    scope: { tenant },
  });
  return rows.length === 1;
}
