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
import { type Batch, createProcessorA as simulateProcessorA, triggers } from '@till/sandbox';
import { AccountClocks } from './accounts/account-clocks.ts';
import type { AccountContext } from './accounts/context.ts';
import { Authenticator } from './api-keys/api-keys.ts';
import type { Config } from './config.ts';
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
import { newId, pooled } from './lib/ids.ts';
import type { DerivedKeys } from './lib/keys.ts';
import { describeError, type Logger } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import type { PaymentParts } from './payments/create-payment.ts';
import { paymentRoutes } from './payments/routes.ts';
import { PaymentStore } from './payments/store.ts';
import { createProcessorA } from './processors/processor-a/adapter.ts';
import { createRegistry } from './processors/registry.ts';
import { simulatorTransport } from './processors/simulator-transport.ts';
import { Batcher } from './store/batcher.ts';
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
  const { config, db, clock, keys, log, metrics } = parts;
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
  await openApi(app, { named, baseUrl: () => publicAddress });

  const clocks = new AccountClocks(db, clock);
  const authenticator = new Authenticator(db, clock.now);
  const idempotencyStore = new IdempotencyStore(db);
  const serializers = new Serializers(named);
  const api = new MerchantApi<AccountContext, Claim>({
    app,
    ajv: createValidator(named),
    serializers,
    authenticate: async (key) => {
      const context = await authenticator.authenticate(key);
      clocks.note(context.accountId, context.now.getTime() - clock.now().getTime());
      return context;
    },
    idempotency: new Idempotency({
      store: idempotencyStore,
      clock,
      keys,
      instance: { number: parts.instance.number, lockClass: instanceLockClass },
      // Two exchanges with the processor at most, and room for the commits around them.
      leaseMs: 2 * config.processorTimeoutMs + 15_000,
    }),
    rateLimiter,
    onReplay: () => metrics.idempotencyReplays.inc(),
  });

  const customers = { store: new CustomerStore(db), randomBytes, write: serializers.for(Customer) };
  const payments: PaymentParts = {
    store: new PaymentStore(db),
    customers,
    randomBytes,
    connect: connectSimulators(parts, clocks, randomBytes),
    returnUrl: (context, paymentId) =>
      `${publicAddress}/checkout/return/${keys.token(`${context.accountId}:${paymentId}`)}`,
    write: serializers.for(Payment),
    onSettled: (payment) =>
      metrics.payments.inc({
        processor: payment.processor,
        mode: payment.livemode ? 'live' : 'test',
        status: payment.status,
        failure_code: payment.failure_code ?? '',
      }),
  };
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
    startJobs(): () => Promise<void> {
      return periodically(
        clock,
        hourMs,
        async () => {
          const before = new Date(clock.now().getTime() - 24 * hourMs);
          while ((await idempotencyStore.removeExpired(before)) > 0);
        },
        (error) => log.error('removing idempotency records failed', describeError(error)),
      );
    },
    /** Answers what is under way and takes nothing new. */
    async drain(): Promise<void> {
      draining = true;
      await app.close();
    },
  };
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

/** The adapters with the simulators behind them, in this process, over the same bytes as a network would carry. */
function connectSimulators(
  { config, db, clock, metrics }: ServerParts,
  clocks: AccountClocks,
  randomBytes: (count: number) => Uint8Array,
) {
  const batch: Batch = (run, keyOf) => {
    const batcher = new Batcher(run, { keyOf });
    return (row) => batcher.submit(row);
  };
  const processorA = simulateProcessorA({
    database: {
      query: async <Row>(text: string, values: readonly unknown[] = []) => ({
        rows: await db.query<Row>({ text, values }),
      }),
    },
    now: (merchantAccount) => clocks.now(merchantAccount),
    randomBytes,
    delay: clock.delay,
    batch,
  });
  return createRegistry({
    simulated: {
      processor_a: {
        port: createProcessorA({
          transport: simulatorTransport((request, signal) => processorA.handle(request, signal), {
            timeoutMs: config.processorTimeoutMs,
          }),
          delay: clock.delay,
          elapsed: clock.elapsed,
          observe: (event) =>
            metrics.processorDuration.observe(
              { processor: 'processor_a', operation: event.operation, outcome: event.outcome },
              event.durationMs / 1000,
            ),
        }),
        baseUrl: 'https://processor-a.sandbox.invalid/v71',
      },
    },
    liveSimulation: config.liveSimulation,
  });
}
