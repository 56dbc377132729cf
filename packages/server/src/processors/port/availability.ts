import { ApiError } from '@till/contract';
import type { Connected } from './connected.ts';

/**
 * Fails fast, before any work starts, if the guard would refuse the call to the processor anyway.
 * @param inDoubt an earlier call got no definite answer, so the error must not read as "nothing happened"
 * @throws ApiError `provider_unavailable` while the account's calls to its processor are refused
 */
export function requireAvailable(
  connected: Connected,
  { inDoubt }: { readonly inDoubt: boolean },
): Connected {
  const retryAfterSeconds = connected.port.retryAfterSeconds(connected.connection);
  if (retryAfterSeconds === null) return connected;
  const begun = inDoubt ? 'What was asked before is being looked into' : 'Nothing was begun';
  throw new ApiError(
    'provider_unavailable',
    `The processor does not answer at the moment. ${begun}: retry with the same Idempotency-Key.`,
    { retryAfterSeconds },
  );
}
