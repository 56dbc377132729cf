import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import type { UpstreamAnswer } from './client.ts';

/**
 * Whether two refusals of the same request are the stored response to the first request with its key, which then carried
 * nothing out (Adyen docs, "API idempotency"). The upstream may also refuse a repeat before it looks up what its key did, but
 * each processed request gets a PSP reference of its own: the same reference again means a stored response.
 * @param payment PSP reference of the payment that the request is about: an error may contain it instead of its own
 */
export function isStoredRefusal(
  first: UpstreamAnswer | NoAnswer,
  second: UpstreamAnswer | NoAnswer,
  upstreamKey: string,
  payment?: string,
): boolean {
  const [one, other] = [first, second].map((answer) => keptReference(answer, upstreamKey));
  return one !== undefined && one === other && one !== payment;
}

/** PSP reference of a refusal that was processed under the key, as the response names it. */
function keptReference(answer: UpstreamAnswer | NoAnswer, upstreamKey: string): string | undefined {
  if (isNoAnswer(answer) || answer.status !== 422 || answer.idempotencyKey !== upstreamKey) return undefined;
  return jsonText(jsonObject(answer.body), 'pspReference') ?? undefined;
}
