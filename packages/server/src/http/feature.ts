import { namedSchemas } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Admission } from './admission/admission.ts';
import { admitRequests } from './admission/admit.ts';
import { AwaitedBodies } from './admission/awaited-bodies.ts';
import { Flows } from './admission/flows.ts';
import { bodiesDelay, HeldRefusals, overloadDelay } from './admission/held-refusals.ts';
import type { Refusal } from './admission/waiting-line.ts';
import { openApi } from './openapi/openapi.ts';
import { type AppDependencies, createApp } from './server/app.ts';
import { endIdleConnections } from './server/open-connections.ts';
import type { RequestRecord } from './server/request-record.ts';
import { shedLoad } from './server/shed-load.ts';

type OnAnswered = NonNullable<AppDependencies['onAnswered']>;

interface HttpDependencies
  extends Pick<AppDependencies, 'trustProxy' | 'rateLimiter' | 'isUnavailable' | 'insteadOf'> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly randomBytes: RandomBytes;
  readonly admission: Admission;
  /** Whether there is disk space for the writes of requests. */
  readonly mayWrite: () => boolean;
  readonly publicAddress: () => string;
  readonly draining: () => boolean;
  /** Records a span for each request. If absent, no spans are recorded. */
  readonly trace?: ((app: FastifyInstance) => void) | undefined;
  readonly hintAt: AppDependencies['hintAt'];
  /** Called for every answered request with a known API key. */
  readonly onAnswered: (answered: ReturnType<typeof answeredOf>) => void;
}

/** Creates the HTTP server with admission, logs and metrics. Its only route is that of the API document. */
export async function createHttp(deps: HttpDependencies): Promise<FastifyInstance> {
  const { clock, log, metrics, admission, mayWrite, draining } = deps;
  const appDependencies: AppDependencies = {
    newRequestId: () => newId('req', clock.now(), deps.randomBytes),
    elapsed: clock.elapsed,
    baseUrl: deps.publicAddress,
    trustProxy: deps.trustProxy,
    rateLimiter: deps.rateLimiter,
    isUnavailable: deps.isUnavailable,
    insteadOf: deps.insteadOf,
    hintAt: deps.hintAt,
    onRequestDone: (record) => recordRequest(log, metrics, record),
    onAnswered: (...answer) => deps.onAnswered(answeredOf(...answer)),
    onUnexpected: (error, requestId) =>
      log.error('unexpected', { request_id: requestId, ...describeError(error) }),
  };
  const app = createApp(appDependencies);
  deps.trace?.(app);
  const onRefused = (reason: Refusal) => metrics.refusedRequests.inc({ reason });
  const flows = new Flows(deps.trustProxy);
  const bodies = new AwaitedBodies(clock);
  metrics.observeRequests(admission, bodies);
  const held = new HeldRefusals(clock.delay, overloadDelay);
  const heldBodies = new HeldRefusals(clock.delay, bodiesDelay);
  admitRequests(app, { admission, flows, bodies, held: heldBodies, mayWrite, onRefused });
  shedLoad(app, appDependencies, { admission, flows, held, onRefused, draining });
  endIdleConnections(app, draining);
  // Otherwise kept-alive connections that are busy now would delay the drain after their response.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining()) void reply.header('connection', 'close');
    done(null, payload);
  });
  await openApi(app, { named: namedSchemas, baseUrl: deps.publicAddress });
  return app;
}

/** The data of an answer for the request log. It names each field, because spreading the exchange took 5 % of a read's time. */
const answeredOf = (...[exchange, request, reply, durationMs]: Parameters<OnAnswered>) => {
  const key = request.headers['idempotency-key'];
  return {
    tenant: exchange.tenant,
    accountId: exchange.accountId,
    livemode: exchange.livemode,
    operation: exchange.operation,
    keyId: exchange.keyId,
    answer: exchange.answer,
    warnings: exchange.warnings,
    id: request.id,
    url: request.url,
    status: reply.statusCode,
    code: request.logFields.code ?? null,
    durationMs,
    ip: request.ip,
    idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
    replayed: reply.hasHeader('idempotent-replayed'),
    body: Buffer.isBuffer(request.body) ? request.body : null,
  };
};

function recordRequest(log: Logger, metrics: Metrics, record: RequestRecord): void {
  const { requestId, method, route, status, durationMs, fields } = record;
  metrics.httpDuration.observe(
    { route, method, status_class: `${Math.floor(status / 100)}xx` },
    durationMs / 1000,
  );
  // A flood of refused requests must not flood the log; the metrics count them.
  log[fields.refused === true ? 'debug' : 'info']('request', {
    request_id: requestId,
    method,
    route,
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...fields,
  });
}
