import { randomBytes as systemRandomBytes } from 'node:crypto';
import { Customer, namedSchemas, Payment } from '@till/contract';
import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { AccountClocks } from './accounts/account-clocks.ts';
import type { AccountContext } from './accounts/context.ts';
import { Authenticator } from './api-keys/api-keys.ts';
import { checkoutLinks } from './checkout/links.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { CheckoutStore } from './checkout/store.ts';
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
import { sandboxRoutes } from './http/sandbox-routes.ts';
import { Serializers } from './http/serialize.ts';
import { createValidator } from './http/validate.ts';
import type { Claim } from './idempotency/claims.ts';
import { Idempotency, recordKey } from './idempotency/idempotency.ts';
import { IdempotencyStore } from './idempotency/store.ts';
import { periodically } from './jobs/periodic.ts';
import type { Clock } from './lib/clock.ts';
import { newId, pooled, type RandomBytes } from './lib/ids.ts';
import type { DerivedKeys } from './lib/keys.ts';
import { describeError, type Logger } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import { expirePayments } from './payments/expire-payments.ts';
import { OperationStore } from './payments/operations.ts';
import type { PaymentParts } from './payments/parts.ts';
import { recoverPayments } from './payments/recover-payments.ts';
import { paymentRoutes } from './payments/routes.ts';
import { PaymentStore } from './payments/store.ts';
import { testHelperRoutes, visit } from './sandbox-helpers/routes.ts';
import { type Database, isUnavailable } from './store/database.ts';
import type { Instance } from './store/instance.ts';

const hourMs = 3_600_000;
const recoverEveryMs = 2_000;
/** Well within the minute after which an unconfirmed payment has to be failed (decisions, "Payments"). */
const expireEveryMs = 15_000;

/** Every exchange that one operation may need, and room for the commits around them. */
const leaseMs = (config: Config) => 6 * config.processorTimeoutMs + 15_000;

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
  const { config, db, clock, log } = parts;
  const randomBytes = pooled(systemRandomBytes);
  let address = config.baseUrl ?? '';
  const publicAddress = () => address;
  let draining = false;

  const rateLimiter = new RateLimiter({ ...config.rateLimit, elapsed: clock.elapsed });
  const app = await composeApp(parts, { randomBytes, rateLimiter, publicAddress, draining: () => draining });

  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const serializers = new Serializers(namedSchemas);
  const api = composeApi(parts, { app, clocks, idempotencyStore, serializers, rateLimiter, publicAddress });

  const customers = { store: new CustomerStore(db), randomBytes, write: serializers.for(Customer) };
  const sandbox = connectSimulators(parts, {
    clocks,
    randomBytes,
    publicUrl: publicAddress,
    visit: (url) => visitAsBuyer(url),
  });
  const payments = composePayments(parts, {
    customers,
    connect: sandbox.connect,
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress,
  });
  const checkout = { payments, tokens: new CheckoutStore(db) };
  const visitAsBuyer = (url: string) =>
    void visit({ checkout }, url).catch((error: unknown) =>
      log.error('virtual buyer failed', describeError(error)),
    );
  customerRoutes(api, customers);
  paymentRoutes(api, payments);
  eventRoutes(api, db);
  checkoutRoutes(app, checkout);
  testHelperRoutes(api, {
    checkout,
    accounts: { db, clock, randomBytes },
    resolveApproval: sandbox.resolveApproval,
    onClockMoved: async () => void (await expirePayments(payments)),
  });
  sandboxRoutes(app, sandbox.pages);
  docsRoutes(app, triggers);
  healthRoutes(app, {
    draining: () => draining,
    checks: { database: async () => void (await db.query({ text: 'select 1' })) },
  });

  return {
    app,
    /** Listens and starts the background work. @returns the public address */
    async start(): Promise<string> {
      const bound = await app.listen({ host: config.host, port: config.port });
      address = config.baseUrl ?? bound;
      return address;
    },
    /** Starts what runs beside the requests. @returns stops it */
    startJobs: () => startJobs(parts, payments, idempotencyStore),
    /** Answers what is under way and takes nothing new. */
    async drain(): Promise<void> {
      draining = true;
      await app.close();
    },
  };
}

/** The bare HTTP server with its OpenAPI document. */
async function composeApp(
  { config, clock, log, metrics }: ServerParts,
  built: {
    randomBytes: RandomBytes;
    rateLimiter: RateLimiter;
    publicAddress: () => string;
    draining: () => boolean;
  },
): Promise<FastifyInstance> {
  const app = createApp({
    newRequestId: () => newId('req', clock.now(), built.randomBytes),
    elapsed: clock.elapsed,
    baseUrl: built.publicAddress,
    trustProxy: config.trustProxy,
    rateLimiter: built.rateLimiter,
    isUnavailable,
    onRequestDone: (record) => recordRequest(log, metrics, record),
    onUnexpected: (error, requestId) =>
      log.error('unexpected', { request_id: requestId, ...describeError(error) }),
  });
  // Kept-alive connections that are busy now would otherwise hold the drain up after their answer.
  app.addHook('onSend', async (_request, reply) => {
    if (built.draining()) reply.header('connection', 'close');
  });
  await openApi(app, { named: namedSchemas, baseUrl: built.publicAddress });
  return app;
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
    publicAddress: () => string;
  },
): MerchantApi<AccountContext, Claim> {
  const authenticator = new Authenticator(db, clock.now);
  return new MerchantApi<AccountContext, Claim>({
    ...built,
    ajv: createValidator(namedSchemas),
    authenticate: async (key) => {
      const context = await authenticator.authenticate(key);
      built.clocks.note(context.accountId, context.now.getTime() - clock.now().getTime());
      return context;
    },
    idempotency: new Idempotency({
      store: built.idempotencyStore,
      clock,
      keys,
      instance,
      leaseMs: leaseMs(config),
    }),
    onReplay: () => metrics.idempotencyReplays.inc(),
    baseUrl: built.publicAddress,
  });
}

/** Payments with everything that they need, and the simulated processors behind them. */
function composePayments(
  { config, db, clock, keys, instance, log, metrics }: ServerParts,
  built: {
    customers: CustomerParts;
    connect: PaymentParts['connect'];
    idempotencyStore: IdempotencyStore;
    serializers: Serializers;
    randomBytes: RandomBytes;
    publicAddress: () => string;
  },
): PaymentParts {
  return {
    db,
    store: new PaymentStore(db),
    operations: new OperationStore(db, instance.number),
    customers: built.customers,
    clock,
    randomBytes: built.randomBytes,
    lease: () => ({ owner: instance.number, until: new Date(clock.now().getTime() + leaseMs(config)) }),
    connect: built.connect,
    links: checkoutLinks(keys, built.publicAddress),
    write: built.serializers.for(Payment),
    keepAnswer: (context, claim, answer) =>
      built.idempotencyStore.keepAnswer(recordKey(context, claim), claim, answer),
    isKeyTaken: async (context, claim) =>
      (await built.idempotencyStore.read(recordKey(context, claim))) !== undefined,
    onSettled: (payment, context) =>
      metrics.payments.inc({
        processor: context.processor,
        mode: payment.livemode ? 'live' : 'test',
        status: payment.status,
        failure_code: payment.failure_code ?? '',
      }),
    onTrouble: (message, payment, error) =>
      log.error(message, { payment: payment.id, account: payment.account_id, ...describeError(error) }),
  };
}

/** What runs beside the requests. @returns stops it */
function startJobs(
  { clock, log }: ServerParts,
  payments: PaymentParts,
  idempotencyStore: IdempotencyStore,
): () => Promise<void> {
  const job = (name: string, everyMs: number, work: () => Promise<unknown>) =>
    periodically(
      clock,
      everyMs,
      async () => void (await work()),
      (error) => log.error(`${name} failed`, describeError(error)),
    );
  const stops = [
    job('recovery', recoverEveryMs, () => recoverPayments(payments)),
    job('expiry', expireEveryMs, () => expirePayments(payments)),
    job('removing idempotency records', hourMs, async () => {
      const before = new Date(clock.now().getTime() - 24 * hourMs);
      while ((await idempotencyStore.removeExpired(before)) > 0);
    }),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
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
