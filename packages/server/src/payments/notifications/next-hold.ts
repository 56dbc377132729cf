import type { SettledOutcome } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';

/** Whether an outcome reports the hold that the payment already names. */
export const isKnownHold = (payment: PaymentRow, outcome: SettledOutcome): boolean =>
  outcome.kind === 'authorized' &&
  payment.upstream.authorization !== undefined &&
  payment.upstream.authorization === outcome.facts.upstream.authorization;

/**
 * Stores the id and the deadlines of a hold that the processor has renewed: later requests name this id. If the processor names
 * no guarantee, the guarantee of the new hold is unknown; the former one does not apply.
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
