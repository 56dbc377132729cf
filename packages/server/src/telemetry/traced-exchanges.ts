import { activeSpan, inChild } from '../lib/tracing/span.ts';
import { type Transport, TransportError } from '../processors/wire/transport.ts';

/** The span attributes for the server of a URL, without the path. */
function serverOf(url: string) {
  const { hostname, port, protocol } = new URL(url);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** Records each request to a processor as a span. If propagation is enabled, the request has a `traceparent` header. */
export const traceExchanges =
  (send: Transport): Transport =>
  (request) => {
    const { method, url, headers } = request;
    if (activeSpan() === undefined) return send(request);
    const attributes = { 'http.request.method': method, ...serverOf(url) };
    return inChild({ name: method, kind: 'client', attributes }, async (span) => {
      try {
        const answer = await send({ ...request, headers: { ...headers, ...span?.headers() } });
        const { status } = answer;
        span?.set({
          'http.response.status_code': status,
          ...(status >= 400 ? { 'error.type': String(status) } : {}),
        });
        return answer;
      } catch (error) {
        if (error instanceof TransportError) span?.set({ 'error.type': error.kind });
        throw error;
      }
    });
  };
