import type { NoAnswer, ProcessorConnection } from '../../port/port.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import type { ObservedAnswer } from '../../upstream/observation.ts';
import { type Exchange, repeatWhileProcessing } from '../../upstream/repeat.ts';
import { jsonText } from '../../wire/json.ts';
import type { Transport } from '../../wire/transport.ts';
import { call, type UpstreamAnswer, type UpstreamRequest } from './client.ts';
import { isStillProcessing } from './issues.ts';
import { type IssuedToken, requestToken, type TokenParameters } from './oauth.ts';
import type { TokenCache } from './token-cache.ts';

export interface SessionDependencies {
  readonly transport: Transport;
  /** Resolves after this many milliseconds. */
  delay(ms: number): Promise<void>;
}

export type Reply = UpstreamAnswer | NoAnswer;

/** A request that changes something; a POST unless `method` says otherwise. */
export type Change = Omit<UpstreamRequest, 'method'> & { readonly method?: 'PUT' | 'DELETE' };

/** The connection to the upstream for one operation. */
export interface Session {
  readonly clientId: string;
  /** The account and mode of the session. */
  readonly tenant: string;
  /** All credentials of the connection; see `ProcessorConnection`. */
  readonly credentials: ProcessorConnection['credentials'];
  read(path: string): Promise<Reply>;
  /** Sends the request, and repeats it with the same bytes while the upstream still processes an earlier copy. */
  send(request: Change): Promise<Exchange<Reply>>;
  /** Requests a new token, separate from the access token that requests use. */
  grant(parameters: TokenParameters): Promise<IssuedToken | NoAnswer>;
}

/** Undefined if the connection lacks a credential. */
export function openSession(
  deps: SessionDependencies,
  tokens: TokenCache,
  connection: ProcessorConnection,
  note: (answer: ObservedAnswer) => void,
): Session | undefined {
  const { credentials } = connection;
  const { clientId, clientSecret } = credentials;
  if (!clientId || !clientSecret) return undefined;
  const access = { baseUrl: connection.baseUrl, clientId, clientSecret };
  const exchange = async (request: UpstreamRequest): Promise<Reply> => {
    const reply = await call(deps.transport, tokens, access, request);
    if (!isNoAnswer(reply)) {
      note({
        status: reply.status,
        upstreamReference: jsonText(reply.body, 'id'),
        ...(reply.debugId === null ? {} : { debugId: reply.debugId }),
      });
    }
    return reply;
  };
  return {
    clientId,
    tenant: `${connection.accountId} ${connection.livemode ? 'live' : 'test'}`,
    credentials,
    grant: (parameters) => requestToken(deps.transport, access, parameters),
    read: (path) => exchange({ method: 'GET', path }),
    send: (request) =>
      repeatWhileProcessing(
        (ms) => deps.delay(ms),
        () => exchange({ method: 'POST', ...request }),
        (reply) => !isNoAnswer(reply) && isStillProcessing(reply),
      ),
  };
}

/** Path of an order (PayPal REST Orders v2). */
export const orderPath = (order: string): string => `/v2/checkout/orders/${encodeURIComponent(order)}`;

/** Path of a hold (PayPal REST Payments v2). */
export const authorizationPath = (authorization: string): string =>
  `/v2/payments/authorizations/${encodeURIComponent(authorization)}`;

/** Path of a capture (PayPal REST Payments v2). */
export const capturePath = (capture: string): string =>
  `/v2/payments/captures/${encodeURIComponent(capture)}`;
