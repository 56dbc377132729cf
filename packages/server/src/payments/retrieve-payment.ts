import type { AccountContext } from '../accounts/context.ts';
import { type MadeAtProcessor, whyUnreachable } from '../processors/port/connected.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { expireIfOverdue } from './operations/expire.ts';
import type { PaymentRow } from './payment.ts';
import { requirePayment } from './reads.ts';

/** Why the processor cannot be asked about a payment or what belongs to it, in words; null where it can. */
export function processorRefusal(
  { connect }: Pick<PaymentDependencies, 'connect'>,
  context: AccountContext,
  made: MadeAtProcessor,
): string | null {
  if (context.connection.connected) return whyUnreachable(connect(context), made);
  return 'The account has no active connection to its processor.';
}

/** The payment as it is now: one whose confirmation window is over has failed. @throws ApiError `not_found` */
export async function retrievePayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  return expireIfOverdue(deps, context, await requirePayment(deps.store, context, id));
}
