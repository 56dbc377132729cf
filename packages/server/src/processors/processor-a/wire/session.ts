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
  /** Resolves after this many milliseconds. */
  delay(ms: number): Promise<void>;
}

/** The connection to the upstream for one operation. */
export interface Session {
  readonly merchantAccount: string;
  /** A simulator stands in for the upstream and accepts directives. */
  readonly simulated: boolean;
  /** Sends a POST request, and repeats it with the same bytes while the upstream still processes an earlier copy. */
  send(path: string, idempotencyKey: string, body: object): Promise<Exchange<UpstreamAnswer | NoAnswer>>;
  remove(path: string): Promise<UpstreamAnswer | NoAnswer>;
  /** Sends a POST request to the dispute service, without a key if the request only reads. */
  sendDispute(
    path: string,
    idempotencyKey: string | undefined,
    body: object,
  ): Promise<UpstreamAnswer | NoAnswer>;
}

/** Undefined if the connection lacks a credential. */
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
