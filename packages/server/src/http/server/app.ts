import type { IncomingMessage } from 'node:http';
import { ApiError, limits, ServiceError } from '@till/contract';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { pathOf, RouteTable } from '../admission/route-table.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import { answerBrokenHttp, noteAnswer } from './broken-http.ts';
import { otherMethods, prefersHtml, sendNotFoundPage } from './not-found-page.ts';
import type { Exchange, LogFields, RequestRecord } from './request-record.ts';

export const serviceVersion = '2026-11-20';

export interface AppDependencies {
  readonly newRequestId: () => string;
  readonly elapsed: () => number;
  readonly baseUrl: () => string;
  readonly trustProxy: readonly string[];
  readonly rateLimiter: RateLimiter;
  /** True if an error means that the database is away: 503 instead of 500. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** The error to answer instead of an error or of read data that may be wrong by now; undefined if the answer is valid. */
  readonly insteadOf?:
    | ((answer: 'error' | 'read', request: IncomingMessage) => ServiceError | undefined)
    | undefined;
  /** A hint for the 404 message of a path, if there is something that the client or the operator can do. */
  readonly hintAt?: ((path: string) => string | undefined) | undefined;
  readonly onRequestDone: (record: RequestRecord) => void;
  /** Called for every answered request with a known API key. */
  readonly onAnswered?: (
    exchange: Exchange,
    request: FastifyRequest,
    reply: FastifyReply,
    durationMs: number,
  ) => void;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

const http = {
  // A request without a Host header also gets our error envelope, instead of Node's empty response.
  requireHostHeader: false,
  headersTimeout: 10_000,
  // How often Node checks the timeouts of requests. With the rare default a request may take twice its timeout.
  connectionsCheckingInterval: 1_000,
};

/** Creates the bare HTTP server: request ids, headers, the error envelope on every path. Features mount their routes on it. */
export function createApp(deps: AppDependencies): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: deps.newRequestId,
    requestIdHeader: false,
    trustProxy: deps.trustProxy.length === 0 ? false : [...deps.trustProxy],
    requestTimeout: 30_000,
    // The timeout for a client that does not read its response. It is longer than a request waits with the longest
    // TILL_PROCESSOR_TIMEOUT_MS, and longer than an event stream is silent.
    connectionTimeout: 300_000,
    http,
    return503OnClosing: false,
    routerOptions: {
      maxParamLength: 255,
      ignoreDuplicateSlashes: false,
      ignoreTrailingSlash: true,
      querystringParser: parseQuery,
    },
    clientErrorHandler: (error, socket) => {
      const id = deps.newRequestId();
      answerBrokenHttp(error, socket, id, {
        headers: commonHeaders(deps, id, ''),
        docUrl: (code) => docUrl(deps.baseUrl(), code),
      });
    },
    frameworkErrors: (error, request, reply) => {
      prepare(deps, request, reply);
      sendError(deps, error, request, reply);
    },
  });
  // An unknown expectation is ignored (RFC 9110, 10.1.1), because Node.js would answer with a bare 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // The routes validate and serialise with the contract's schemas; Fastify only documents them.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.decorateRequest('logFields', null as unknown as LogFields);
  app.decorateRequest('startedMs', 0);
  app.decorateRequest('exchange', null);
  app.decorateRequest('entry', null);
  // Hooks that do not wait use callbacks: a promise in each would cost every request some extra microtasks.
  app.addHook('onRequest', (request, reply, done) => {
    noteAnswer(request.raw.socket, reply.raw);
    prepare(deps, request, reply);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' && reply.statusCode < 400 && apiPath.test(request.url);
    const instead = isRead ? deps.insteadOf?.('read', request.raw) : undefined;
    if (instead !== undefined) return done(instead);

    if (request.exchange !== null && typeof payload === 'string') request.exchange.answer = payload;
    // Node.js never finishes a response to a client that has disconnected, so record the request now.
    if (request.raw.socket.destroyed) record(deps, request, reply);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    record(deps, request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply));
  const routes = new RouteTable(app);
  app.setNotFoundHandler((request, reply) => answerNotFound(deps, routes, request, reply));
  return app;
}

/** Passes an answered request to the logs and metrics. */
function record(deps: AppDependencies, request: FastifyRequest, reply: FastifyReply): void {
  const durationMs = deps.elapsed() - request.startedMs;
  deps.onRequestDone({
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    durationMs,
    fields: request.logFields,
  });
  if (request.exchange !== null) deps.onAnswered?.(request.exchange, request, reply, durationMs);
}

/** @throws ApiError `not_found`; `method_not_allowed` if the path accepts other methods */
function answerNotFound(
  deps: Pick<AppDependencies, 'hintAt'>,
  routes: RouteTable,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = pathOf(request.url);
  const allowed = routes.methodsAt(request.url);
  if (allowed.length === 0) {
    if (isFromBrowser(request, path)) return sendNotFoundPage(reply);
    const hint = deps.hintAt?.(path);
    const nothing = `There is nothing at ${request.method} ${path.slice(0, 200)}`;
    throw new ApiError('not_found', hint === undefined ? `${nothing}.` : `${nothing}: ${hint}.`);
  }
  reply.header('allow', allowed.join(', '));
  throw new ApiError('method_not_allowed', otherMethods(request.method, allowed));
}

/** Whether a person opens a path outside of the APIs in a browser. */
const isFromBrowser = ({ method, headers }: FastifyRequest, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && !apiPath.test(path) && prefersHtml(headers.accept);

const apiPath = /^\/(?:dashboard\/)?api\//;

/** Parses each value as text, or as a list if a parameter is repeated. A broken escape stays unchanged. */
function parseQuery(text: string): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  // Unlike an assignment, this also creates an own property for a parameter named `__proto__`.
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}

function prepare(deps: AppDependencies, request: FastifyRequest, reply: FastifyReply): void {
  request.logFields = {};
  request.startedMs = deps.elapsed();
  reply.headers(commonHeaders(deps, request.id, request.url));
}

/** The headers of every response, which routes may change. */
export function commonHeaders(
  deps: Pick<AppDependencies, 'baseUrl' | 'rateLimiter'>,
  requestId: string,
  url: string,
): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'service-request-id': requestId,
    'service-version': serviceVersion,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  if (deps.baseUrl().startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000';
  if (deps.rateLimiter.enabled && url.startsWith('/api/v1/')) {
    const limit = deps.rateLimiter.untouched();
    headers['ratelimit-limit'] = limit.limit;
    headers['ratelimit-remaining'] = limit.remaining;
    headers['ratelimit-reset'] = limit.resetSeconds;
  }
  return headers;
}

const docUrl = (baseUrl: string, code: string) => `${baseUrl}/docs/errors#${code}`;

/** The `Link` header of an error response, which links to the documentation of the code, for clients that only read headers. */
export const helpLink = (baseUrl: string, code: string) => `<${docUrl(baseUrl, code)}>; rel="help"`;

/** Converts the errors that Fastify itself raises before a route runs. */
function fromFastify(error: FastifyError): ApiError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large', `The body must be of at most ${limits.bodyBytes} bytes.`);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('missing_field', 'The body is shorter or longer than its Content-Length.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(
        'missing_field',
        'The body must be JSON: send the header Content-Type: application/json.',
      );
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'There is nothing at this address.');
    default:
      return undefined;
  }
}

function toServiceError(deps: AppDependencies, error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const known = error instanceof Error ? fromFastify(error as FastifyError) : undefined;
  if (known !== undefined) return known;
  deps.onUnexpected(error, request.id);
  if (deps.isUnavailable(error)) {
    return new ApiError(
      'service_unavailable',
      'The service is not able to answer right now. Retry with the same Idempotency-Key.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. Retry with the same Idempotency-Key.',
  );
}

/** The error envelope as text (spec, "Errors"). */
export function errorText(error: ServiceError, baseUrl: string, requestId: string): string {
  return JSON.stringify({
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...(error.param === undefined || error.param === '' ? {} : { param: error.param }),
      ...(error.customer === undefined ? {} : { customer: error.customer }),
      ...(error.isDocumented ? { doc_url: docUrl(baseUrl, error.code) } : {}),
      request_id: requestId,
    },
  });
}

const keyErrors: ReadonlySet<string> = new Set(['missing_api_key', 'invalid_api_key', 'key_mode_mismatch']);

/**
 * The `WWW-Authenticate` header of a response about an API key (RFC 6750, section 3). It does not offer Basic, which works too,
 * because browsers would then ask for a password.
 */
const challengeOf = (code: string): string =>
  code === 'missing_api_key' ? 'Bearer realm="Till API"' : 'Bearer realm="Till API", error="invalid_token"';

function sendError(
  deps: AppDependencies,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = deps.insteadOf?.('error', request.raw) ?? toServiceError(deps, thrown, request);
  request.logFields.code = error.code;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  else if (error.status === 503) reply.header('retry-after', 2);
  if (keyErrors.has(error.code)) reply.header('www-authenticate', challengeOf(error.code));
  if (error.isDocumented) reply.header('link', helpLink(deps.baseUrl(), error.code));
  // Closing the connection while the client still sends would lose the response. Node.js reads and drops the rest.
  if (error.code === 'body_too_large') reply.removeHeader('connection');
  const page = error.status >= 500 ? request.routeOptions.config.errorPage : undefined;
  if (page !== undefined && prefersHtml(request.headers.accept)) {
    void page(request, reply, error.status);
    return;
  }
  void reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorText(error, deps.baseUrl(), request.id));
}
