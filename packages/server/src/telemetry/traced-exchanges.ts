import { activeSpan, inChild } from '../lib/tracing/span.ts';
import { type Transport, TransportError } from '../processors/wire/transport.ts';

/** Where a request goes, without what stands behind the host. */
function serverOf(url: string) {
  const { hostname, port, protocol } = new URL(url);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** Makes each exchange with a processor a span, which the processor learns of where that is wanted. */
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
