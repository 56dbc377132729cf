import type { SettledOutcome } from '../../processors/port/port.ts';
import type { PaymentRow } from '../payment.ts';

/**
 * Whether a notification reports the decline of an attempt that another attempt of the open payment replaces. An issuer may
 * decline a charge only because the buyer was not authenticated; if the payment leaves authentication to the issuer, the
 * charge is sent again with a challenge. The decline then settles nothing, however late its notification arrives.
 */
export function isOfReplaced(
  { status, authentication, upstream }: PaymentRow,
  {
    outcome: { kind, facts },
    asksForAuthentication = false,
  }: { readonly outcome: SettledOutcome; readonly asksForAuthentication?: boolean },
): boolean {
  const isOpen = status === 'processing' || status === 'requires_action';
  if (kind !== 'declined' || !isOpen) return false;
  const { psp: named } = facts.upstream;
  const { psp: present, replaced } = upstream;
  if (named !== undefined && named === replaced) return true;
  if (named !== undefined && present !== undefined) return named !== present;
  // An attempt is replaced only once: the decline of the second one is final.
  return asksForAuthentication && authentication === 'automatic' && replaced === undefined;
}
