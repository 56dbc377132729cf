import { Agent, buildConnector, request as send } from 'undici';
import { type Transport, TransportError, type WireResponse } from './transport.ts';

export interface UndiciTransportOptions {
  /** Milliseconds for name resolution, connection and TLS handshake together. */
  readonly connectTimeoutMs: number;
  /** Milliseconds for the whole exchange, the last byte of the answer included. */
  readonly timeoutMs: number;
}

const answerBytesMax = 1024 * 1024;

/** Marks an error of the connector: no byte of the request had been written by then. */
class ConnectionFailure extends Error {
  constructor(cause: unknown) {
    super('no connection', { cause });
    this.name = 'ConnectionFailure';
  }
}

/** Codes of a request that the client library refused before it opened a connection. */
const refusedLocally: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL']);

/**
 * A transport over the network, with its own pool of kept-alive connections. It rejects with a `TransportError` only:
 * `timeout` where the deadline passed, `not_sent` where no connection came about, `dropped` for every other fault, an
 * answer above 1 MiB included. Redirects are answers like any other.
 */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  const connectTo = buildConnector({ timeout: options.connectTimeoutMs });
  const dispatcher = new Agent({
    connect: (target, done) =>
      connectTo(target, (error, socket) =>
        error === null ? done(null, socket) : done(new ConnectionFailure(error), null),
      ),
    // One deadline bounds the exchange instead of one timer for each of its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: answerBytesMax,
  });

  return async (request) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
    try {
      const answer = await send(request.url, {
        dispatcher,
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal: deadline.signal,
      });
      return {
        status: answer.statusCode,
        headers: singleValued(answer.headers),
        body: Buffer.from(await answer.body.arrayBuffer()),
      };
    } catch (error) {
      throw new TransportError(deadline.signal.aborted ? 'timeout' : faultKind(error), error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function faultKind(error: unknown): 'not_sent' | 'dropped' {
  if (error instanceof ConnectionFailure) {
    return 'not_sent';
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && refusedLocally.has(code) ? 'not_sent' : 'dropped';
}

/** Field lines of the same name become one value, joined by commas (RFC 9110, 5.3). */
function singleValued(headers: Record<string, string | string[] | undefined>): WireResponse['headers'] {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) {
      result[name] = Array.isArray(value) ? value.join(', ') : value;
    }
  }
  return result;
}
