import type { ChargeFacts, UpstreamIds } from '../port/port.ts';

/** Facts of a response that contains only ids. */
export const idsOnly = (upstream: UpstreamIds): ChargeFacts => ({
  upstream,
  brand: null,
  bin: null,
  last4: null,
  expMonth: null,
  expYear: null,
  threeDSecure: null,
  avs: null,
  networkTransactionReference: null,
  saved: null,
});
