import { ApiError } from '@till/contract';
import type { NoAnswer } from './answers.ts';

const transportMessages = {
  not_sent: 'The processor could not be reached.',
  timeout: 'The processor did not answer in time.',
  dropped: 'The connection to the processor broke before its answer came.',
} as const satisfies Record<NonNullable<NoAnswer['transport']>, string>;

/** Statuses that reject this request itself. 401, 403 and 429 are about the caller, and the same request may succeed later. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether the upstream processed this request and rejected it: it carried out nothing and never will. */
export const isRefusal = ({ kind, error }: NoAnswer): boolean =>
  kind === 'not_executed' && error !== undefined && refusals.has(error.status);

/**
 * Describes in one sentence for merchants what the processor did instead of giving an outcome. It quotes only a status and a
 * code.
 */
export function describeNoAnswer({ kind, error, transport }: NoAnswer): string {
  if (error !== undefined) {
    const { status, code } = error;
    const named = `(status ${status}${code === null ? '' : `, code ${code}`})`;
    return kind === 'not_executed'
      ? `The processor refused the request ${named}.`
      : `The processor answered with an error ${named}.`;
  }
  if (transport !== undefined) return transportMessages[transport];
  return kind === 'not_executed'
    ? 'The processor did not carry the request out.'
    : 'The processor gave no definite answer.';
}

/** Builds a 502 `provider_error`, or a 503 `provider_unavailable` with `Retry-After`, that states the consequence. */
export const unansweredError = (outcome: NoAnswer, consequence: string): ApiError =>
  new ApiError(
    outcome.answer,
    `${describeNoAnswer(outcome)} ${consequence}`,
    outcome.answer === 'provider_unavailable' ? { retryAfterSeconds: 2 } : {},
  );
