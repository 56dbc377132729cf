import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { namedSchemas, type Provider } from '@till/contract';
import type { WireRequest, WireResponse } from '@till/sandbox';
import { AccountClocks } from '../../packages/server/src/accounts/account-clocks.ts';
import { createAuthentication } from '../../packages/server/src/api-keys/feature.ts';
import { KeyUse } from '../../packages/server/src/api-keys/key-use.ts';
import { checkoutRoutes } from '../../packages/server/src/checkout/routes.ts';
import { composeApi, composeIdempotency } from '../../packages/server/src/compose/api.ts';
import { mountDashboardApi } from '../../packages/server/src/compose/dashboard.ts';
import type { ServerDependencies } from '../../packages/server/src/compose/dependencies.ts';
import { composeFeatures } from '../../packages/server/src/compose/features.ts';
import type { Config } from '../../packages/server/src/config/config.ts';
import { customerRoutes } from '../../packages/server/src/customers/routes.ts';
import { disputeRoutes } from '../../packages/server/src/disputes/api/routes.ts';
import { expireDisputes } from '../../packages/server/src/disputes/deadlines/expire-disputes.ts';
import { recoverDisputes } from '../../packages/server/src/disputes/operations/recover-disputes.ts';
import { Serializers } from '../../packages/server/src/http/api/serialize.ts';
import { RateLimiter } from '../../packages/server/src/http/rate-limit/rate-limit.ts';
import { createApp } from '../../packages/server/src/http/server/app.ts';
import { IdempotencyStore } from '../../packages/server/src/idempotency/store.ts';
import type { DerivedKeys } from '../../packages/server/src/lib/keys.ts';
import { createLogger } from '../../packages/server/src/lib/log/log.ts';
import { createMetrics } from '../../packages/server/src/lib/metrics.ts';
import { recoverRemovals } from '../../packages/server/src/payment-methods/remove-payment-method.ts';
import { paymentMethodRoutes } from '../../packages/server/src/payment-methods/routes.ts';
import { paymentRoutes } from '../../packages/server/src/payments/api/routes.ts';
import { expirePayments } from '../../packages/server/src/payments/operations/expire.ts';
import { recoverPayments } from '../../packages/server/src/payments/operations/recoveries.ts';
import { processorNotificationRoutes } from '../../packages/server/src/processor-notifications/routes.ts';
import { simulatorTransport } from '../../packages/server/src/processors/wire/simulator-transport.ts';
import type { Transport } from '../../packages/server/src/processors/wire/transport.ts';
import { recoverRefunds } from '../../packages/server/src/refunds/refund.ts';
import { refundRoutes } from '../../packages/server/src/refunds/routes.ts';
import { visit } from '../../packages/server/src/sandbox-helpers/helpers.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import { holdInstance, instanceLockClass } from '../../packages/server/src/store/instance.ts';
import type { WebhookTransport } from '../../packages/server/src/webhooks/delivery/transport.ts';
import type { ApiRequest, Reply } from './client.ts';
import { type Place, publicUrl } from './evidence.ts';
import { Failpoints } from './failpoints.ts';
import type { Plant } from './plants/plant.ts';

export interface InstanceDependencies extends Place {
  readonly config: Config;
  readonly keys: DerivedKeys;
  readonly plant: Plant;
  /** The delay in milliseconds after which a request arrives that was in flight when its server ended. */
  readonly lag: () => number;
  /** Called with the error when a running server responds with 500. */
  readonly onUnexpected: (error: unknown) => void;
}

/** Serializers have no state, so all instances share one set. */
const serializers = new Serializers(namedSchemas);
const silentLog = createLogger('silent', () => {});

/**
 * The part of a server that handles money, in this process. It consists of the product's own modules, on a database and outgoing
 * connections that stop working when the instance ends. Background work runs when the test calls it.
 */
export class Instance {
  readonly points: Failpoints;
  /** Resolves when the server ends or stalls. */
  readonly gone: Promise<void>;
  readonly #inject: ReturnType<typeof createApp>['inject'];
  readonly #features: ReturnType<typeof composeFeatures>;
  readonly #stopSending: () => Promise<void>;
  readonly #number: number;
  readonly #db: Database;
  #running = 0;

  private constructor(deps: InstanceDependencies, held: Held) {
    this.points = held.points;
    this.gone = held.gone;
    this.#number = held.number;
    this.#db = deps.db;
    const db = deps.plant.database(held.points.database(deps.db));
    const server: ServerDependencies = {
      config: deps.config,
      db,
      reads: db,
      clock: deps.clock,
      keys: deps.keys,
      masterKeys: deps.masterKeys,
      instance: { number: held.number, release: () => {} },
      log: silentLog,
      metrics: createMetrics('crash', () => 0),
      transports: transportsOf(deps, held.points),
    };
    const { app, features } = composeMoney(server, (error) => {
      if (!this.isGone) deps.onUnexpected(error);
    });
    this.#features = features;
    this.#inject = app.inject.bind(app);
    this.#stopSending = features.webhooks.start();
  }

  static async start(deps: InstanceDependencies): Promise<Instance> {
    const number = randomInt(1, 2 ** 31 - 1);
    const lock = await holdInstance(deps.db, {
      number,
      exclusive: false,
      clock: deps.clock,
      onLost: () => {},
    });
    let leave: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const end = () => {
      lock.release();
      leave();
    };
    const instance = new Instance(deps, { number, points: new Failpoints(end, leave), gone });
    await instance.refreshConnections();
    return instance;
  }

  /** Sends a request. @returns undefined if the server ends or stalls before it responds */
  async send({ method, path, headers, body }: ApiRequest): Promise<Reply | undefined> {
    const request = {
      method,
      url: path,
      headers: { ...headers },
      ...(body === undefined ? {} : { payload: body }),
    };
    const answer = await this.#orGone(this.#inject(request));
    if (answer === undefined) return undefined;
    const { location } = answer.headers;
    return { status: answer.statusCode, text: answer.payload, location: location?.toString() };
  }

  /** Handles the return of the buyer's browser. @returns false if the server ends or stalls before it responds */
  async visit(url: string): Promise<boolean> {
    const visited = visit({ checkout: this.#features.checkout }, url).then(() => true as const);
    return (await this.#orGone(visited)) ?? false;
  }

  /** Delivers a notification. Rejects if the server ends or stalls before it responds. */
  async notify({ url, headers, body }: WireRequest): Promise<WireResponse> {
    const { pathname } = new URL(url);
    const answer = await this.#orGone(
      this.#inject({ method: 'POST', url: pathname, headers: { ...headers }, payload: body }),
    );
    if (answer === undefined) throw new Error('no answer');
    return { status: answer.statusCode, headers: {}, body: answer.rawPayload };
  }

  /** Reads the current settings of the connections. */
  async refreshConnections(): Promise<void> {
    await this.#orGone(this.#features.connections.refresh());
  }

  /** Runs the background work once. */
  async work(): Promise<void> {
    const { payments, refunds, disputes, methods, notifications } = this.#features;
    await this.#orGone(
      Promise.all([
        recoverPayments(payments),
        recoverRefunds(refunds),
        expirePayments(payments),
        recoverDisputes(disputes),
        expireDisputes(disputes),
        recoverRemovals(methods),
        notifications.job.run(),
      ]),
    );
  }

  /** Ends the server as a power cut would, and waits until its database connections are closed. */
  async kill(): Promise<void> {
    this.points.endNow();
    for (;;) {
      const rows = await this.#db.query({
        text: 'select 1 from pg_locks where locktype = $1 and classid = $2::int::oid and objid = $3::int::oid',
        values: ['advisory', instanceLockClass, this.#number],
        scope: 'everybody',
      });
      if (rows.length === 0) return;
      await pause(2);
    }
  }

  /** Stops the server gracefully at the end of a test. */
  async stop(): Promise<void> {
    await this.#orGone(this.#stopSending());
    await this.kill();
  }

  /** Whether the server has ended or stalls. */
  get isGone(): boolean {
    return this.points.isOver || this.points.isStalled;
  }

  /** Whether no request or background work is running. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  #orGone<T>(work: Promise<T>): Promise<T | undefined> {
    this.#running += 1;
    const ended = () => {
      this.#running -= 1;
    };
    void work.catch(() => {}).finally(ended);
    return Promise.race([work, this.gone.then(() => undefined)]);
  }
}

interface Held {
  readonly number: number;
  readonly points: Failpoints;
  readonly gone: Promise<void>;
}

function transportsOf({ upstream, receiver, config, plant, lag }: InstanceDependencies, points: Failpoints) {
  const direct = (processor: Provider): Transport =>
    simulatorTransport(
      async (request, signal) => {
        // A short delay, so that the request can be in flight when the server ends.
        await nextImmediate();
        await nextImmediate();
        if (points.isOver) await pause(lag());
        return upstream.handle(processor, request, signal);
      },
      { timeoutMs: config.processorTimeoutMs },
    );
  return {
    wrapProcessorTransport: (processor: Provider) =>
      plant.wrapProcessorTransport(processor, points.wrapProcessorTransport(processor, direct(processor))),
    wrapReceiverTransport: () =>
      plant.wrapReceiverTransport(
        points.wrapReceiverTransport({
          async send({ url, body }) {
            receiver.take(new URL(url).pathname, body);
            return { answer: { status: 200, headers: {}, body: '' } };
          },
          close: async () => {},
        } satisfies WebhookTransport),
      ),
  };
}

const nextImmediate = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Composes a server as `composeServer` does, but only with the routes that change something. */
function composeMoney(server: ServerDependencies, onUnexpected: (error: unknown) => void) {
  const { db, clock } = server;
  const rateLimiter = new RateLimiter({ perSecond: 0, burst: 0, elapsed: clock.elapsed });
  const app = createApp({
    newRequestId: () => 'req_crash',
    elapsed: clock.elapsed,
    baseUrl: () => publicUrl,
    trustProxy: [],
    rateLimiter,
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected,
  });
  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const publicAddress = () => publicUrl;
  const idempotency = composeIdempotency(server, idempotencyStore, randomBytes);
  const api = composeApi(server, {
    app,
    authenticate: createAuthentication(server, clocks, new KeyUse(db, clock.now)),
    idempotency,
    serializers,
    rateLimiter,
    accountLimiter: rateLimiter,
    publicAddress,
  });
  const features = composeFeatures(server, {
    app,
    clocks,
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress,
  });
  customerRoutes(api, features.customers);
  paymentRoutes(api, features.payments);
  paymentMethodRoutes(api, features.methods);
  disputeRoutes(api, features.disputes);
  checkoutRoutes(app, features.checkout);
  mountDashboardApi(server, { app, features, idempotency, serializers, rateLimiter, publicAddress });
  refundRoutes(api, features.refunds);
  processorNotificationRoutes(app, features.notifications.intake);
  return { app, features };
}
