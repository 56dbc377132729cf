import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { namedSchemas } from '@till/contract';
import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { AccountClocks } from '../accounts/account-clocks.ts';
import { createAuthentication, createKeyUse } from '../api-keys/feature.ts';
import { docsRoutes } from '../docs/routes.ts';
import { loadDocsSite } from '../docs/site.ts';
import { Admission } from '../http/admission/admission.ts';
import { Serializers } from '../http/api/serialize.ts';
import { createHttp } from '../http/feature.ts';
import { createRateLimits } from '../http/rate-limit/feature.ts';
import { IdempotencyStore } from '../idempotency/store.ts';
import { pooled } from '../lib/ids.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import { messageOf } from '../lib/text/message-of.ts';
import { createRequestLogs } from '../request-logs/feature.ts';
import { isUnavailable } from '../store/database.ts';
import { handedOver } from './account-of-request.ts';
import { authenticateIn, composeApi, composeIdempotency } from './api.ts';
import { mountDashboard } from './dashboard.ts';
import type { ServerDependencies } from './dependencies.ts';
import { composeFeatures } from './features.ts';
import { listenerOf } from './front.ts';
import { type Role, startJobs } from './jobs.ts';
import { hintFor, mountRoutes } from './routes.ts';

/** Composes one server without a framework, in reading order. Nothing listens or runs before `start`. */
export async function composeServer(deps: ServerDependencies) {
  const { config, db, space, clock, keys, log, metrics, within } = deps;
  const randomBytes = pooled(systemRandomBytes);
  const { publicAddress, draining, limits, ...state } = await surroundingOf(deps);
  const admission = new Admission({ limits: config.requests, delay: clock.delay, elapsed: clock.elapsed });
  const counted = { db, clock, onIncident: notWritten(log) };
  const requestLogs = createRequestLogs({ ...counted, keys, metrics });
  const { keyUse, start: startKeyUse } = createKeyUse(counted);
  const shared = { clock, log, metrics, randomBytes, publicAddress, hintAt: hintFor(config) };
  const app = await createHttp({
    ...shared,
    trustProxy: config.trustProxy,
    rateLimiter: limits.rateLimiter,
    admission,
    draining,
    trace: deps.tracing?.requests,
    mayWrite: () => space?.shortage == null,
    isUnavailable,
    insteadOf: handedOver(deps),
    onAnswered: requestLogs.note,
  });
  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const idempotency = composeIdempotency(deps, idempotencyStore, randomBytes);
  const serializers = new Serializers(namedSchemas);
  const authenticate = authenticateIn(deps, createAuthentication(deps, clocks, keyUse));
  const api = composeApi(deps, { ...limits, app, authenticate, idempotency, serializers, publicAddress });
  const features = composeFeatures(deps, {
    app,
    clocks,
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress,
  });
  mountRoutes(deps, { ...limits, app, api, features, authenticate, draining, stopping: state.stopping });
  if (within === undefined) docsRoutes(app, { publicAddress, site: await loadDocsSite(), triggers });
  await mountDashboard(deps, { ...limits, app, features, idempotency, serializers, publicAddress });

  const prepare = () => Promise.all([features.connections.refresh(), features.webhooks.refreshFanOut()]);
  return {
    app,
    limits,
    publicAddress,
    draining,
    hasSandboxPage: features.sandbox.hasPage,
    /** Prepares the server of a cell. It does not listen: the server of home passes requests to the returned listener. */
    async startWithin(): Promise<RequestListener> {
      await Promise.all([prepare(), app.ready()]);
      return listenerOf(app.server);
    },
    /** Listens, if the role of the process includes requests. @returns the public URL */
    async start(role: Role): Promise<string> {
      await prepare();
      const { host, port } = config;
      const bound = role === 'worker' ? httpAddress(host, port) : await listen(app, host, port);
      return state.answersAt(config.baseUrl ?? bound);
    },
    /** Starts the background jobs. @returns a function that stops them */
    startJobs: (role: Role) =>
      startJobs(deps, { ...features, idempotencyStore, requestLogs, startKeyUse }, role),
    beginStop: () => state.beginStop(),
    /** Refuses new requests, and resolves once the requests in flight have been answered. */
    async drain(): Promise<void> {
      state.beginDrain();
      await app.close();
      if (within === undefined) limits.close();
    },
  };
}

const notWritten = (log: Logger) => (error: unknown) =>
  log.error('the log of requests was not written', describeError(error));

/** The state and the services that the server of home owns, and that the server of a cell gets from it. */
async function surroundingOf({ config, clock, log, within }: ServerDependencies) {
  let address = config.baseUrl ?? '';
  let isDraining = false;
  let isStopping = false;
  return {
    publicAddress: within?.publicAddress ?? (() => address),
    draining: within?.draining ?? (() => isDraining),
    limits: within?.limits ?? (await createRateLimits({ ...config, clock, log })),
    answersAt(bound: string): string {
      address = bound;
      return address;
    },
    stopping: () => isStopping,
    /** Makes the server report that it is not ready. It keeps serving. */
    beginStop() {
      isStopping = true;
    },
    beginDrain() {
      isDraining = true;
    },
  };
}

/** @throws Error that names the settings if the server cannot listen on the address */
async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`the server cannot listen on HOST=${host} and PORT=${port}: ${reason}`, { cause: error });
  }
}

/** The URL of a server that listens on this host and port. */
const httpAddress = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
