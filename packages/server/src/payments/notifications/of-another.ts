import type { AccountContext } from '../../accounts/context.ts';
import type { OnIncident } from '../../operations/operation.ts';
import { belongsToMerchant, type HasProcessorIdentity } from '../../processors/port/connected.ts';

/**
 * Whether a notification came from another merchant account than the one with which a row was made. Reports an incident if so:
 * the notification has to be applied later, once the account has that connection again.
 * @param about the object that the incident names
 */
export function belongsToOtherMerchantAccount(
  { onIncident }: { readonly onIncident: OnIncident },
  context: AccountContext,
  made: HasProcessorIdentity & { readonly id: string },
  sender: string | null,
  about: { readonly id: string } = made,
): boolean {
  if (belongsToMerchant(made, sender)) return false;
  onIncident(context, 'a notification of another merchant account', about);
  return true;
}
