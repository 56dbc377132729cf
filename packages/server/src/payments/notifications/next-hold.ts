import type { SettledOutcome } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';

/** Whether an outcome reports the very hold that is known of the payment. */
export const isKnownHold = (payment: PaymentRow, outcome: SettledOutcome): boolean =>
  outcome.kind === 'authorized' &&
  payment.upstream.authorization !== undefined &&
  payment.upstream.authorization === outcome.facts.upstream.authorization;

/**
 * Keeps the id under which a hold was made anew at the processor, and its deadlines: what is asked of it later goes by that
 * one. A guarantee that it does not name is unknown, and not that of the former one.
 */
export async function keepNextHold(
  { db }: Pick<PaymentDependencies, 'db'>,
  payment: PaymentRow,
  outcome: Extract<SettledOutcome, { kind: 'authorized' }>,
): Promise<void> {
  const { authorization } = outcome.facts.upstream;
  const { guaranteedUntil, expires } = outcome.deadlines;
  if (authorization === undefined || isKnownHold(payment, outcome)) return;
  await db.query({
    name: 'keep_next_hold',
    text: `update payments set upstream = (upstream::jsonb || jsonb_build_object('authorization', $3::text))::json,
             authorization_guaranteed_until = $4, authorization_expires = coalesce($5, authorization_expires)
           where tenant = $1 and id = $2 and status = 'authorized'`,
    values: [payment.tenant, payment.id, authorization, guaranteedUntil, expires],
    scope: payment,
  });
}
