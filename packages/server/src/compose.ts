import { randomBytes as systemRandomBytes } from 'node:crypto';
import {
  Address,
  AvsVerdict,
  BrowserInfo,
  Customer,
  CustomerCreate,
  CustomerList,
  CustomerUpdate,
  ErrorBody,
  Event,
  EventList,
  LineItem,
  NextAction,
  Payment,
  PaymentCreate,
  PaymentList,
  ThreeDSecure,
} from '@till/contract';
import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { AccountClocks } from './accounts/account-clocks.ts';
import type { AccountContext } from './accounts/context.ts';
import { Authenticator } from './api-keys/api-keys.ts';
import { connectSimulators } from './compose/sandbox.ts';
import type { Config } from './config.ts';
import type { CustomerParts } from './customers/customers.ts';
import { customerRoutes } from './customers/routes.ts';
import { CustomerStore } from './customers/store.ts';
import { docsRoutes } from './docs/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { createApp, type RequestRecord } from './http/app.ts';
import { healthRoutes } from './http/health.ts';
import { MerchantApi } from './http/merchant-api.ts';
import { openApi } from './http/openapi.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { Serializers } from './http/serialize.ts';
import { createValidator } from './http/validate.ts';
import type { Claim } from './idempotency/claims.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { IdempotencyStore } from './idempotency/store.ts';
import { periodically } from './jobs/periodic.ts';
import type { Clock } from './lib/clock.ts';
import { newId, pooled, type RandomBytes } from './lib/ids.ts';
import type { DerivedKeys } from './lib/keys.ts';
import { describeError, type Logger } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import type { PaymentParts } from './payments/create-payment.ts';
import { paymentRoutes } from './payments/routes.ts';
import { PaymentStore } from './payments/store.ts';
import { type Database, isUnavailable } from './store/database.ts';
import { type Instance, instanceLockClass } from './store/instance.ts';

/** Schemas that others refer to by name. */
const named = [
  Address,
  AvsVerdict,
  BrowserInfo,
  LineItem,
  ThreeDSecure,
  NextAction,
  Customer,
  CustomerCreate,
  CustomerUpdate,
  CustomerList,
  Payment,
  PaymentCreate,
  PaymentList,
  Event,
  EventList,
  ErrorBody,
];

const hourMs = 3_600_000;

export interface ServerParts {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly instance: Instance;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** One server, built by hand in reading order. Nothing listens and nothing runs before `start`. */
export async function composeServer(parts: ServerParts) {
  const { config, db, clock, log, metrics } = parts;
  const randomBytes = pooled(systemRandomBytes);
  let publicAddress = config.baseUrl ?? '';
  let draining = false;

  const rateLimiter = new RateLimiter({ ...config.rateLimit, elapsed: clock.elapsed });
  const app = createApp({
    newRequestId: () => newId('req', clock.now(), randomBytes),
    elapsed: clock.elapsed,
    baseUrl: () => publicAddress,
    trustProxy: config.trustProxy,
    rateLimiter,
    isUnavailable,
    onRequestDone: (record) => recordRequest(log, metrics, record),
    onUnexpected: (error, requestId) =>
      log.error('unexpected', { request_id: requestId, ...describeError(error) }),
  });
  // Kept-alive connections that are busy now would otherwise hold the drain up after their answer.
  app.addHook('onSend', async (_request, reply) => {
    if (draining) reply.header('connection', 'close');
  });
  await openApi(app, { named, baseUrl: () => publicAddress });

  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const serializers = new Serializers(named);
  const api = composeApi(parts, { app, clocks, idempotencyStore, serializers, rateLimiter });

  const customers = { store: new CustomerStore(db), randomBytes, write: serializers.for(Customer) };
  const payments = composePayments(parts, {
    customers,
    clocks,
    serializers,
    randomBytes,
    publicAddress: () => publicAddress,
  });
  customerRoutes(api, customers);
  paymentRoutes(api, payments);
  eventRoutes(api, db);
  docsRoutes(app, triggers);
  healthRoutes(app, {
    draining: () => draining,
    checks: { database: async () => void (await db.query({ text: 'select 1' })) },
  });

  return {
    app,
    /** Listens and starts the background work. @returns the public address */
    async start(): Promise<string> {
      const address = await app.listen({ host: config.host, port: config.port });
      publicAddress = config.baseUrl ?? address;
      return publicAddress;
    },
    /** Starts what runs beside the requests. @returns stops it */
    startJobs: () => startJobs(parts, idempotencyStore),
    /** Answers what is under way and takes nothing new. */
    async drain(): Promise<void> {
      draining = true;
      await app.close();
    },
  };
}

/** The merchant API without its routes: authentication, idempotency, validation, serialisation. */
function composeApi(
  { config, db, clock, keys, instance, metrics }: ServerParts,
  built: {
    app: FastifyInstance;
    clocks: AccountClocks;
    idempotencyStore: IdempotencyStore;
    serializers: Serializers;
    rateLimiter: RateLimiter;
  },
): MerchantApi<AccountContext, Claim> {
  const authenticator = new Authenticator(db, clock.now);
  return new MerchantApi<AccountContext, Claim>({
    ...built,
    ajv: createValidator(named),
    authenticate: async (key) => {
      const context = await authenticator.authenticate(key);
      built.clocks.note(context.accountId, context.now.getTime() - clock.now().getTime());
      return context;
    },
    idempotency: new Idempotency({
      store: built.idempotencyStore,
      clock,
      keys,
      instance: { number: instance.number, lockClass: instanceLockClass },
      // Every exchange that one charge may need, and room for the commits around them.
      leaseMs: 6 * config.processorTimeoutMs + 15_000,
    }),
    onReplay: () => metrics.idempotencyReplays.inc(),
  });
}

function composePayments(
  parts: ServerParts,
  built: {
    customers: CustomerParts;
    clocks: AccountClocks;
    serializers: Serializers;
    randomBytes: RandomBytes;
    publicAddress: () => string;
  },
): PaymentParts {
  const { db, keys, metrics } = parts;
  return {
    store: new PaymentStore(db),
    customers: built.customers,
    randomBytes: built.randomBytes,
    connect: connectSimulators(parts, built.clocks, built.randomBytes),
    returnUrl: (context, paymentId) =>
      `${built.publicAddress()}/checkout/return/${keys.token(`${context.accountId}:${paymentId}`)}`,
    write: built.serializers.for(Payment),
    onSettled: (payment) =>
      metrics.payments.inc({
        processor: payment.processor,
        mode: payment.livemode ? 'live' : 'test',
        status: payment.status,
        failure_code: payment.failure_code ?? '',
      }),
  };
}

/** What runs beside the requests. @returns stops it */
function startJobs({ clock, log }: ServerParts, idempotencyStore: IdempotencyStore): () => Promise<void> {
  return periodically(
    clock,
    hourMs,
    async () => {
      const before = new Date(clock.now().getTime() - 24 * hourMs);
      while ((await idempotencyStore.removeExpired(before)) > 0);
    },
    (error) => log.error('removing idempotency records failed', describeError(error)),
  );
}

function recordRequest(log: Logger, metrics: Metrics, record: RequestRecord): void {
  const { requestId, method, route, status, durationMs, fields } = record;
  metrics.httpDuration.observe(
    { route, method, status_class: `${Math.floor(status / 100)}xx` },
    durationMs / 1000,
  );
  log.info('request', {
    request_id: requestId,
    method,
    route,
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...fields,
  });
}
