import { jsonObject, jsonText } from '../json.ts';
import { isNoAnswer, transportFault } from '../no-answer.ts';
import type { ObservedAnswer } from '../observation.ts';
import type { NoAnswer, ProcessorConnection } from '../port.ts';
import { type Exchange, repeatWhileProcessing } from '../repeat.ts';
import type { Transport } from '../transport.ts';
import { post, type UpstreamAnswer } from './client.ts';
import { isStillProcessing } from './error-answer.ts';

export interface SessionParts {
  readonly transport: Transport;
  /** Resolves after so many milliseconds. */
  delay(ms: number): Promise<void>;
}

/** One operation's way to the upstream. */
export interface Session {
  readonly merchantAccount: string;
  /** Posts once, and again with the same bytes while the upstream still processes an earlier copy. */
  send(path: string, idempotencyKey: string, body: object): Promise<Exchange<UpstreamAnswer | NoAnswer>>;
}

/** Undefined where the connection lacks a credential. */
export function openSession(
  parts: SessionParts,
  connection: ProcessorConnection,
  note: (answer: ObservedAnswer) => void,
): Session | undefined {
  const { apiKey, merchantAccount } = connection.credentials;
  if (!apiKey || !merchantAccount) {
    return undefined;
  }
  const access = { baseUrl: connection.baseUrl, apiKey };
  const exchange = async (path: string, key: string, body: object): Promise<UpstreamAnswer | NoAnswer> => {
    try {
      const answer = await post(parts.transport, access, path, key, body);
      note({
        status: answer.status,
        upstreamReference: jsonText(jsonObject(answer.body), 'pspReference'),
      });
      return answer;
    } catch (error) {
      return transportFault(error);
    }
  };
  return {
    merchantAccount,
    send: (path, key, body) =>
      repeatWhileProcessing(
        (ms) => parts.delay(ms),
        () => exchange(path, key, body),
        (reply) => !isNoAnswer(reply) && isStillProcessing(reply),
      ),
  };
}
