import type { NoAnswer, ProviderAnswer, UpstreamError } from '../port/port.ts';
import { TransportError } from '../wire/transport.ts';

/** The request may have been carried out. `reason` goes to logs: it must never quote the upstream. */
export const unknown = (answer: ProviderAnswer, reason: string): NoAnswer => ({
  kind: 'unknown',
  answer,
  reason,
});

/** The request certainly did nothing. `reason` goes to logs: it must never quote the upstream. */
export const notExecuted = (answer: ProviderAnswer, reason: string): NoAnswer => ({
  kind: 'not_executed',
  answer,
  reason,
});

/** The result where no answer came: nothing was carried out only if the request certainly was not sent. */
export function transportFault(error: unknown): NoAnswer {
  const transport = error instanceof TransportError ? error.kind : 'dropped';
  const fault =
    transport === 'not_sent'
      ? notExecuted('provider_unavailable', transport)
      : unknown('provider_unavailable', transport);
  return { ...fault, transport };
}

/** A client error of these is about the caller: the request itself was not looked at. */
const aboutTheCaller: ReadonlySet<number> = new Set([401, 403, 429]);

/** A client error of these says that something was late, early or in the way: the request may be carried out all the same. */
const saysNothing: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/**
 * The result of an error without an outcome. A client error with the upstream's own code, or about the caller,
 * says that nothing was carried out. Any other may come from something in between, or after the request was carried out.
 * @param isNamed whether the answer names a code, even one that is not fit to be shown
 */
export function errorAnswer(error: UpstreamError, isNamed: boolean, reason: string): NoAnswer {
  const { status } = error;
  const isRefused =
    status >= 400 && status < 500 && !saysNothing.has(status) && (isNamed || aboutTheCaller.has(status));
  const isUnavailable = status === 429 || status > 500;
  const answer = isUnavailable ? 'provider_unavailable' : 'provider_error';
  return { ...(isRefused ? notExecuted(answer, reason) : unknown(answer, reason)), error };
}

/** Whether a value is no answer, beside outcomes or answers of any kind. */
export const isNoAnswer = <Other extends object>(value: Other | NoAnswer): value is NoAnswer =>
  'kind' in value && (value.kind === 'unknown' || value.kind === 'not_executed');

/** The outcome where an earlier copy of the same request may have been carried out, whatever came last. */
export const notRuledOut = <Outcome extends object>(outcome: Outcome | NoAnswer): Outcome | NoAnswer =>
  isNoAnswer(outcome) ? { ...outcome, kind: 'unknown' } : outcome;
