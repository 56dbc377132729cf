import { Agent } from 'undici';
import { userAgent } from '../../lib/version.ts';
import { Exchange, type ExchangeRequest } from '../../lib/web/exchange.ts';
import { type Transport, TransportError } from './transport.ts';

/** An answer that is longer is none that we asked for. */
const maxBytes = 4 * 1024 * 1024;
/** More than `guard.ts` lets through: a request that waits here for a connection would count as one that was sent. */
const connectionsPerHost = 4_096;
const connectTimeoutMs = 10_000;

/** The request cannot have left: there was no connection to send it on. */
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

/** An open connection ends with codes of a connect too, where the network behind it is gone: what was written may have arrived. */
const wasConnected = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'read' || error.syscall === 'write');

/** Several addresses were tried: it was sent only if none of them failed before. */
const wasNeverSent = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(wasNeverSent)
    : neverSent.has(codeOf(error)) && !wasConnected(error);

export interface NetworkTransport {
  readonly send: Transport;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Carries requests to an upstream over the network: one deadline for the whole exchange, certificates verified, no
 * redirect followed, nothing repeated by itself. Every request names itself `Till/<version>`. It rejects with a `TransportError` only.
 */
export function undiciTransport({ timeoutMs }: { readonly timeoutMs: number }): NetworkTransport {
  const dispatcher = new Agent({
    // Well before the deadline of the exchange: a request that gets no connection was certainly not sent.
    connect: {
      timeout: Math.min(connectTimeoutMs, timeoutMs / 2),
      rejectUnauthorized: true,
      autoSelectFamily: true,
    },
    connections: connectionsPerHost,
    // A request that waits behind another one on its connection could be lost with it.
    pipelining: 1,
    // One deadline bounds the exchange instead of one timer for each of its phases.
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
