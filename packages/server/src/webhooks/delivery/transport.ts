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
/** As many as deliveries are under way at once: none waits for a connection, which another endpoint's host may never open. */
const connectionsPerHost = 1_024;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookAnswer {
  readonly status: number;
  /** Names in lower case; long or many ones are cut. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 8 KiB as text. Card numbers are masked. */
  readonly body: string;
}

/** How one exchange ended; where no answer came, why, in words for the merchant. */
export type Exchange = { readonly answer: WebhookAnswer } | { readonly error: string };

export interface WebhookTransport {
  /** Posts once and never rejects. Redirects are answers like any other. */
  send(request: WebhookRequest): Promise<Exchange>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Posts webhooks over the network: one deadline for the whole exchange, at most 16 KiB of the answer read, no redirect
 * followed, no compression, certificates verified, and connections to allowed addresses only.
 * @param deps `proxy`: address of a forward proxy that every connection goes through; null: none does
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
    // One deadline bounds the exchange instead of one timer for each of its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const late = new Error('No complete answer within 10 seconds.');
  const deadlines = new Deadlines<HttpExchange>(deps.clock, deadlineMs, (exchange) => exchange.abort(late));
  return {
    async send(request) {
      // Nobody pays for more of the answer than is read.
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

/** Text that PostgreSQL can hold, without card numbers that a receiver may have repeated. */
const asText = (text: string) => scrubCardNumbers(text.toWellFormed().replaceAll('\0', '\ufffd'));

function keptHeaders(headers: ExchangeAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, maxHeaders)
      .map(([name, value]) => [name, asText(value.slice(0, keptHeaderLength))]),
  );
}

/** Errors of the operating system and of TLS, in words; anything else by its code. */
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
