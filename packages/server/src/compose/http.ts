import { namedSchemas } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { AccountContext } from '../accounts/context.ts';
import { Authenticator } from '../api-keys/authenticate.ts';
import type { KeyUse } from '../api-keys/key-use.ts';
import type { Admission } from '../http/admission/admission.ts';
import { admitRequests } from '../http/admission/admit.ts';
import { AwaitedBodies } from '../http/admission/awaited-bodies.ts';
import { Flows } from '../http/admission/flows.ts';
import type { Refusal } from '../http/admission/waiting-line.ts';
import { MerchantApi } from '../http/api/merchant-api.ts';
import type { Authenticate as AuthenticateKey } from '../http/api/merchant-guards.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { createValidator } from '../http/input/validate.ts';
import { openApi } from '../http/openapi/openapi.ts';
import type { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { type AppDependencies, createApp } from '../http/server/app.ts';
import type { RequestRecord } from '../http/server/request-record.ts';
import { shedLoad } from '../http/server/shed-load.ts';
import type { Claim } from '../idempotency/claims.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { describeError, type Logger } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { isUnavailable } from '../store/database.ts';
import { leaseMs, type ServerDependencies } from './dependencies.ts';

/** The bare HTTP server. */
export async function composeApp(
  { config, space, clock, log, metrics }: ServerDependencies,
  built: {
    randomBytes: RandomBytes;
    rateLimiter: RateLimiter;
    admission: Admission;
    publicAddress: () => string;
    draining: () => boolean;
    onAnswered: NonNullable<AppDependencies['onAnswered']>;
  },
): Promise<FastifyInstance> {
  const appParts: AppDependencies = {
    newRequestId: () => newId('req', clock.now(), built.randomBytes),
    elapsed: clock.elapsed,
    baseUrl: built.publicAddress,
    trustProxy: config.trustProxy,
    rateLimiter: built.rateLimiter,
    isUnavailable,
    onRequestDone: (record) => recordRequest(log, metrics, record),
    onAnswered: built.onAnswered,
    onUnexpected: (error, requestId) =>
      log.error('unexpected', { request_id: requestId, ...describeError(error) }),
  };
  const app = createApp(appParts);
  const onRefused = (reason: Refusal) => metrics.refusedRequests.inc({ reason });
  const flows = new Flows(config.trustProxy);
  const bodies = new AwaitedBodies(clock.delay);
  metrics.observeRequests(built.admission, bodies);
  admitRequests(app, { ...built, flows, bodies, mayWrite: () => space?.shortage == null, onRefused });
  shedLoad(app, appParts, { ...built, flows, delay: clock.delay, onRefused });
  // Kept-alive connections that are busy now would otherwise hold the drain up after their answer.
  app.addHook('onSend', async (_request, reply) => {
    if (built.draining()) reply.header('connection', 'close');
  });
  await openApi(app, { named: namedSchemas, baseUrl: built.publicAddress });
  return app;
}

export type Authenticate = AuthenticateKey<AccountContext>;

/** Finds the account of an API key, hears of its clock and notes that the key was used. */
export function composeAuthentication(
  { db, clock }: ServerDependencies,
  clocks: AccountClocks,
  keyUse: KeyUse,
): Authenticate {
  const authenticator = new Authenticator(db, clock.now);
  return async (key, options) => {
    const authenticated = await authenticator.authenticate(key, options);
    const { caller } = authenticated;
    keyUse.note(caller);
    clocks.note(caller.accountId, caller.now.getTime() - clock.now().getTime());
    return authenticated;
  };
}

/** What decides whether a request with an `Idempotency-Key` is the first, of the merchant API and the dashboard. */
export const composeIdempotency = (
  { config, clock, keys, instance }: ServerDependencies,
  store: IdempotencyStore,
): Idempotency => new Idempotency({ store, clock, keys, instance, leaseMs: leaseMs(config) });

/** The merchant API without its routes: authentication, idempotency, validation, serialisation. */
export function composeApi(
  { metrics }: ServerDependencies,
  built: {
    app: FastifyInstance;
    authenticate: Authenticate;
    idempotency: Idempotency;
    serializers: Serializers;
    rateLimiter: RateLimiter;
    accountLimiter: RateLimiter;
    publicAddress: () => string;
  },
): MerchantApi<AccountContext, Claim> {
  return new MerchantApi<AccountContext, Claim>({
    ...built,
    ajv: createValidator(namedSchemas),
    onReplay: () => metrics.idempotencyReplays.inc(),
    baseUrl: built.publicAddress,
  });
}

function recordRequest(log: Logger, metrics: Metrics, record: RequestRecord): void {
  const { requestId, method, route, status, durationMs, fields } = record;
  metrics.httpDuration.observe(
    { route, method, status_class: `${Math.floor(status / 100)}xx` },
    durationMs / 1000,
  );
  // A flood of them must not become a flood of lines: they are counted.
  log[fields.refused === true ? 'debug' : 'info']('request', {
    request_id: requestId,
    method,
    route,
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...fields,
  });
}
