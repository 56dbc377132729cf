import type { AccountContext } from '../../accounts/context.ts';
import type { OnIncident } from '../../operations/operation.ts';
import { isOfMerchant, type MadeAtProcessor } from '../../processors/port/connected.ts';

/**
 * Whether a notification came from another merchant account than the one that has a row. That is reported: the notification
 * is to be applied later, when the account has the connection that it was made with.
 * @param about what is reported
 */
export function isOfAnother(
  { onIncident }: { readonly onIncident: OnIncident },
  context: AccountContext,
  made: MadeAtProcessor & { readonly id: string },
  sender: string | null,
  about: { readonly id: string } = made,
): boolean {
  if (isOfMerchant(made, sender)) return false;
  onIncident(context, 'a notification of another merchant account', about);
  return true;
}
