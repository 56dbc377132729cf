import { Agent } from 'undici';
import { userAgent } from '../../lib/version.ts';
import { Exchange, type ExchangeRequest } from '../../lib/web/exchange.ts';
import { type Transport, TransportError } from './transport.ts';

/** No response that we expect is longer than this. */
const maxBytes = 4 * 1024 * 1024;
/** More than `guard.ts` admits: a request that waits here for a connection would count as sent. */
const connectionsPerHost = 4_096;
const connectTimeoutMs = 10_000;

/** Error codes that prove the request never left, because there was no connection to send it on. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * An established connection can fail with the same codes when the network behind it is gone; data already written may then
 * have arrived.
 */
const wasConnected = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'read' || error.syscall === 'write');

/** With several addresses tried, the request counts as not sent only if every attempt failed before sending. */
const wasNeverSent = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(wasNeverSent)
    : neverSent.has(codeOf(error)) && !wasConnected(error);

export interface NetworkTransport {
  readonly send: Transport;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Sends requests to an upstream over the network: one deadline for the whole exchange, certificates verified, no redirects
 * followed, no automatic retries. Every request has the user agent `Till/<version>`. Rejects only with a `TransportError`.
 */
export function undiciTransport({ timeoutMs }: { readonly timeoutMs: number }): NetworkTransport {
  const dispatcher = new Agent({
    // Well before the exchange's deadline: a request that gets no connection was certainly not sent.
    connect: {
      timeout: Math.min(connectTimeoutMs, timeoutMs / 2),
      rejectUnauthorized: true,
      autoSelectFamily: true,
    },
    connections: connectionsPerHost,
    // A request pipelined behind another one could be lost with it.
    pipelining: 1,
    // One deadline covers the whole exchange, instead of one timeout for each phase.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send({ method, url, headers, body }) {
      let isLate = false;
      let timer: NodeJS.Timeout | undefined;
      try {
        const exchange = new Exchange(dispatcher, {
          method: method as ExchangeRequest['method'],
          url,
          headers: { 'user-agent': userAgent, ...headers },
          body,
          enoughBytes: maxBytes + 1,
        });
        timer = setTimeout(() => {
          isLate = true;
          exchange.abort(new Error('no complete answer in time'));
        }, timeoutMs);
        const answer = await exchange.answer;
        if (answer.body.length > maxBytes) throw new Error('the answer is too long');
        return answer;
      } catch (error) {
        if (isLate) throw new TransportError('timeout', error);
        throw new TransportError(wasNeverSent(error) ? 'not_sent' : 'dropped', error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => dispatcher.destroy(),
  };
}
