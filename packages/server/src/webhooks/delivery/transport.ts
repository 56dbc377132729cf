import { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { scrubCardNumbers } from '../../lib/log/scrub.ts';
import { Deadlines } from '../../lib/waiting/deadlines.ts';
import { type ExchangeAnswer, Exchange as HttpExchange } from '../../lib/web/exchange.ts';
import type { AddressPolicy } from '../endpoints/target-address.ts';
import {
  ConnectionRefused,
  deadlineMs,
  guardedConnector,
  openProxy,
  type ResolveHost,
  tunnellingConnector,
} from './connect.ts';

const readBytes = 16 * 1024;
const keptBytes = 8 * 1024;
const maxHeaders = 50;
const keptHeaderLength = 1024;
/**
 * As many as there are deliveries in flight at once. Otherwise a delivery could wait for a connection to a host that never
 * accepts one for another endpoint.
 */
const connectionsPerHost = 1_024;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookAnswer {
  readonly status: number;
  /** Names are in lower case. Long values are cut, and headers beyond a number are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 8 KiB as text, with card numbers masked. */
  readonly body: string;
}

/** How one exchange ended: with an answer, or with the reason why there is none, worded for the merchant. */
export type Exchange = { readonly answer: WebhookAnswer } | { readonly error: string };

export interface WebhookTransport {
  /** Posts once and never rejects. A redirect counts as an answer like any other. */
  send(request: WebhookRequest): Promise<Exchange>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Posts webhooks over the network. One deadline covers the whole exchange, at most 16 KiB of the answer are read, redirects
 * are not followed, answers are not compressed, certificates are verified, and only allowed addresses are connected to.
 * @param deps `proxy`: address of the forward proxy that every connection goes through; null if there is none
 */
export function webhookTransport(deps: {
  policy: AddressPolicy;
  resolve: ResolveHost;
  clock: Clock;
  proxy?: string | null;
}): WebhookTransport {
  const { policy, resolve, proxy: address = null } = deps;
  const proxy = address === null ? null : openProxy(address);
  const dispatcher = new Agent({
    connect:
      proxy === null
        ? guardedConnector(policy, resolve)
        : tunnellingConnector(policy, resolve, (target) => proxy.tunnel(target)),
    connections: connectionsPerHost,
    // One deadline bounds the exchange instead of a timer for each of its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const late = new Error('No complete answer within 10 seconds.');
  const deadlines = new Deadlines<HttpExchange>(deps.clock, deadlineMs, (exchange) => exchange.abort(late));
  return {
    async send(request) {
      // The connection is closed once enough is read, so that a long answer costs neither side more.
      const exchange = new HttpExchange(dispatcher, { method: 'POST', ...request, enoughBytes: readBytes });
      deadlines.add(exchange);
      try {
        return { answer: keptAnswer(await exchange.answer) };
      } catch (error) {
        return { error: error === late ? late.message : reason(error) };
      } finally {
        deadlines.delete(exchange);
      }
    },
    async close() {
      deadlines.close();
      await Promise.all([dispatcher.destroy(), proxy?.close()]);
    },
  };
}

const keptAnswer = ({ status, headers, body }: ExchangeAnswer): WebhookAnswer => ({
  status,
  headers: keptHeaders(headers),
  body: asText(body.subarray(0, keptBytes).toString('utf8')),
});

/** Returns text that PostgreSQL can store, with card numbers masked: a receiver may have repeated them. */
const asText = (text: string) => scrubCardNumbers(text.toWellFormed().replaceAll('\0', '\ufffd'));

function keptHeaders(headers: ExchangeAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, maxHeaders)
      .map(([name, value]) => [name, asText(value.slice(0, keptHeaderLength))]),
  );
}

/** Error codes of the operating system, of TLS and of the HTTP client, in words. Any other code is shown as it is. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ENOTFOUND: 'The host name is not known.',
  ENODATA: 'The host name has no address.',
  EAI_AGAIN: 'The name server does not answer.',
  ETIMEOUT: 'The name server does not answer.',
  ETIMEDOUT: 'The connection was not accepted in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection was not accepted in time.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate cannot be verified.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name.',
};

function reason(error: unknown): string {
  if (error instanceof ConnectionRefused) return error.message;
  if (error instanceof AggregateError) return reason(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return reasons[code] ?? `The exchange failed (${code}).`;
}
