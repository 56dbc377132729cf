import type { NoAnswer, ProviderAnswer } from './port.ts';
import { TransportError } from './transport.ts';

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

/** How things stand where no answer came: nothing was carried out only if the request certainly was not sent. */
export function transportFault(error: unknown): NoAnswer {
  const reason = error instanceof TransportError ? error.kind : 'dropped';
  return reason === 'not_sent'
    ? notExecuted('provider_unavailable', reason)
    : unknown('provider_unavailable', reason);
}

/** How things stand after a status that is neither an answer nor a client error: it may have been carried out. */
export const serverFault = (status: number, reason: string): NoAnswer =>
  unknown(status > 500 ? 'provider_unavailable' : 'provider_error', reason);

/** Whether a value is no answer, beside outcomes or answers of any kind. */
export const isNoAnswer = <Other extends object>(value: Other | NoAnswer): value is NoAnswer =>
  'kind' in value && (value.kind === 'unknown' || value.kind === 'not_executed');

/** The outcome where an earlier copy of the same request may have been carried out, whatever came last. */
export const notRuledOut = <Outcome extends object>(outcome: Outcome | NoAnswer): Outcome | NoAnswer =>
  isNoAnswer(outcome) ? { ...outcome, kind: 'unknown' } : outcome;

/** A client error of these is about the caller: the request itself was not looked at. */
const aboutTheCaller: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * How a charge stands after a refusal. What is refused without the upstream's own code may come from something in between,
 * or after the charge: only a code, or a status about the caller, is certain enough to begin again.
 */
export const refusedCharge = (
  fault: NoAnswer,
  { status, hasCode }: { readonly status: number; readonly hasCode: boolean },
): NoAnswer => (hasCode || aboutTheCaller.has(status) ? fault : { ...fault, kind: 'unknown' });
