import type { ChargeFacts, UpstreamIds } from '../port/port.ts';

/** Facts of an answer that carries ids alone. */
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
