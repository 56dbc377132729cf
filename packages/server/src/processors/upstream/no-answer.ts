import type { NoAnswer, ProviderAnswer, UpstreamError } from '../port/port.ts';
import { TransportError } from '../wire/transport.ts';

/** Result of a request that may have been carried out. `reason` goes to logs, so it must never quote the upstream. */
export const unknown = (answer: ProviderAnswer, reason: string): NoAnswer => ({
  kind: 'unknown',
  answer,
  reason,
});

/** Result of a request that certainly did nothing. `reason` goes to logs, so it must never quote the upstream. */
export const notExecuted = (answer: ProviderAnswer, reason: string): NoAnswer => ({
  kind: 'not_executed',
  answer,
  reason,
});

/** Result of a request without a response. It is `not_executed` only if the request certainly was not sent. */
export function transportFault(error: unknown): NoAnswer {
  const transport = error instanceof TransportError ? error.kind : 'dropped';
  const fault =
    transport === 'not_sent'
      ? notExecuted('provider_unavailable', transport)
      : unknown('provider_unavailable', transport);
  return { ...fault, transport };
}

/** These statuses are about the caller: the upstream did not look at the request itself. */
const callerStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

/** These statuses mean that the request was late, early or in conflict: it may still be carried out. */
const inconclusiveStatuses: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/**
 * Result of an error response without an outcome. A client error with the upstream's own code, or about the caller, proves
 * that nothing was carried out. Any other error may come from an intermediary, or after the request was carried out.
 * @param isNamed whether the response names a code, even one that is not fit to be shown
 */
export function errorAnswer(error: UpstreamError, isNamed: boolean, reason: string): NoAnswer {
  const { status } = error;
  const isRefused =
    status >= 400 &&
    status < 500 &&
    !inconclusiveStatuses.has(status) &&
    (isNamed || callerStatuses.has(status));
  const isUnavailable = status === 429 || status > 500;
  const answer = isUnavailable ? 'provider_unavailable' : 'provider_error';
  return { ...(isRefused ? notExecuted(answer, reason) : unknown(answer, reason)), error };
}

/** Type guard: distinguishes a `NoAnswer` from outcomes and responses of any kind. */
export const isNoAnswer = <Other extends object>(value: Other | NoAnswer): value is NoAnswer =>
  'kind' in value && (value.kind === 'unknown' || value.kind === 'not_executed');

/**
 * Converts an outcome if an earlier copy of the same request may have been carried out: whatever the last response was,
 * `not_executed` becomes `unknown`.
 */
export const asUnknown = <Outcome extends object>(outcome: Outcome | NoAnswer): Outcome | NoAnswer =>
  isNoAnswer(outcome) ? { ...outcome, kind: 'unknown' } : outcome;
