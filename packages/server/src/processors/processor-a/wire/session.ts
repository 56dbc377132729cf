import type { NoAnswer, ProcessorConnection } from '../../port/port.ts';
import { isNoAnswer, transportFault } from '../../upstream/no-answer.ts';
import type { ObservedAnswer } from '../../upstream/observation.ts';
import { type Exchange, repeatWhileProcessing } from '../../upstream/repeat.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import type { Transport } from '../../wire/transport.ts';
import { call, type UpstreamAnswer, type UpstreamCall } from './client.ts';
import { isStillProcessing } from './error-answer.ts';

export interface SessionDependencies {
  readonly transport: Transport;
  /** Resolves after so many milliseconds. */
  delay(ms: number): Promise<void>;
}

/** One operation's way to the upstream. */
export interface Session {
  readonly merchantAccount: string;
  /** A simulator stands for the upstream: it takes directives. */
  readonly simulated: boolean;
  /** Posts once, and again with the same bytes while the upstream still processes an earlier copy. */
  send(path: string, idempotencyKey: string, body: object): Promise<Exchange<UpstreamAnswer | NoAnswer>>;
  remove(path: string): Promise<UpstreamAnswer | NoAnswer>;
  /** Posts to the dispute service; without a key what only reads. */
  sendDispute(
    path: string,
    idempotencyKey: string | undefined,
    body: object,
  ): Promise<UpstreamAnswer | NoAnswer>;
}

/** Undefined where the connection lacks a credential. */
export function openSession(
  deps: SessionDependencies,
  connection: ProcessorConnection,
  note: (answer: ObservedAnswer) => void,
): Session | undefined {
  const { apiKey, merchantAccount } = connection.credentials;
  if (!apiKey || !merchantAccount) return undefined;
  const exchange = async (request: UpstreamCall): Promise<UpstreamAnswer | NoAnswer> => {
    try {
      const answer = await call(deps.transport, apiKey, request);
      note({
        status: answer.status,
        upstreamReference: jsonText(jsonObject(answer.body), 'pspReference'),
      });
      return answer;
    } catch (error) {
      return transportFault(error);
    }
  };
  const { baseUrl, disputesUrl } = connection;
  return {
    merchantAccount,
    simulated: apiKey === 'sandbox',
    send: (path, idempotencyKey, body) =>
      repeatWhileProcessing(
        (ms) => deps.delay(ms),
        () => exchange({ method: 'POST', url: `${baseUrl}${path}`, idempotencyKey, body }),
        (reply) => !isNoAnswer(reply) && isStillProcessing(reply),
      ),
    remove: (path) => exchange({ method: 'DELETE', url: `${baseUrl}${path}` }),
    sendDispute: (path, idempotencyKey, body) =>
      exchange({
        method: 'POST',
        url: `${disputesUrl}${path}`,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        body,
      }),
  };
}
