import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { ServiceError } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import { busy } from '../admission/admit.ts';
import type { Flows } from '../admission/flows.ts';
import type { HeldRefusals } from '../admission/held-refusals.ts';
import { RouteTable } from '../admission/route-table.ts';
import type { Refusal } from '../admission/waiting-line.ts';
import { type AppDependencies, commonHeaders, errorText, helpLink } from './app.ts';

/**
 * Refuses requests in the HTTP server, before the framework parses them and `admitRequests` would refuse them. That parsing costs
 * a tenth of a payment, so with ten times as many requests as the server has room for, nothing would be left for the others.
 * @param draining while true, every request proceeds, and its response closes the connection
 */
export function shedLoad(
  app: FastifyInstance,
  deps: AppDependencies,
  {
    admission,
    flows,
    draining,
    held,
    onRefused,
  }: {
    readonly admission: Admission;
    readonly flows: Flows;
    readonly draining: () => boolean;
    readonly held: HeldRefusals;
    readonly onRefused: (refusal: Refusal) => void;
  },
): void {
  const server: Server = app.server;
  const [handleRequest] = server.listeners('request') as RequestListener[];
  if (handleRequest === undefined) throw new Error('the server has no listener yet');
  server.removeListener('request', handleRequest);
  const routes = new RouteTable(app);
  // If the server began to stop meanwhile, it must not wait for more data on such a connection.
  const answerRefused = (url: string, response: ServerResponse, isLate = false) =>
    refuse(deps, refused, { url, response }, draining() || isLate ? { connection: 'close' } : {});
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const importance = routes.importanceAt(method, url);
    const refusal = draining() ? null : admission.wouldRefuse(importance, flows.of(request));
    if (refusal === null) return handleRequest(request, response);
    onRefused(refusal);
    const wait = held.hold();
    if (wait === undefined) return answerRefused(url, response);
    // A request that has not arrived completely by then is not waited for.
    void wait.then(() => answerRefused(url, response, !request.complete));
  });
}

/** Answers with an error a request that the framework has not seen. */
export function refuse(
  deps: Pick<AppDependencies, 'newRequestId' | 'baseUrl' | 'rateLimiter'>,
  error: ServiceError,
  { url, response }: { readonly url: string; readonly response: ServerResponse },
  more: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) return;
  const id = deps.newRequestId();
  const text = errorText(error, deps.baseUrl(), id);
  response.writeHead(error.status, {
    ...commonHeaders(deps, id, url),
    'retry-after': String(error.retryAfterSeconds ?? 1),
    link: helpLink(deps.baseUrl(), error.code),
    'content-length': String(Buffer.byteLength(text)),
    ...more,
  });
  response.end(text);
}

/** One error object for all refusals, because most of an error's cost is its stack trace. */
const refused = busy();
