import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Span, within } from '../lib/tracing/span.ts';
import { readTraceParent } from './traceparent.ts';
import type { Tracer } from './tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request is not recorded. */
    span: Span | null;
  }
}

/** Whether the client may name the trace of a request. Only merchants may, in the API. */
const namesTrace = ({ url }: FastifyRequest) => url.startsWith('/api/v1/');

/** Records each request as a span. @param takesParent whether the header `traceparent` is read */
export function traceRequests(app: FastifyInstance, tracer: Tracer, takesParent: boolean): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, id } = request;
    const parent =
      takesParent && namesTrace(request) ? readTraceParent(request.headers.traceparent) : undefined;
    const attributes = { 'http.request.method': method, 'till.request.id': id };
    const span = tracer.begin({ name: method, kind: 'server', attributes }, parent);
    if (span === undefined) {
      // The trace is not recorded, but its id is logged, so that the log line can be found by it.
      if (parent !== undefined) request.logFields.trace_id = parent.traceId;
      return done();
    }
    request.span = span;
    request.logFields.trace_id = span.traceId;
    request.logFields.span_id = span.spanId;
    within(span, done);
  });
  // The body arrives outside the asynchronous context of the first hook, so the span is entered again.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span === null) done();
    else within(request.span, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { span } = request;
    if (span === null) return;
    const route = request.routeOptions.url;
    const { statusCode } = reply;
    if (route !== undefined) span.name = `${request.method} ${route}`;
    span.set({
      ...(route === undefined ? {} : { 'http.route': route }),
      'http.response.status_code': statusCode,
      ...(statusCode >= 500 ? { 'error.type': request.logFields.code ?? String(statusCode) } : {}),
    });
    span.end();
  });
}
