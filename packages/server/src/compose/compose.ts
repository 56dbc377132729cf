import { randomBytes as systemRandomBytes } from 'node:crypto';
import { namedSchemas } from '@till/contract';
import { triggers } from '@till/sandbox';
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
import { describeError } from '../lib/log/log.ts';
import { createRequestLogs } from '../request-logs/feature.ts';
import { isUnavailable } from '../store/database.ts';
import { composeApi, composeIdempotency } from './api.ts';
import { mountDashboard } from './dashboard.ts';
import type { ServerDependencies } from './dependencies.ts';
import { composeFeatures } from './features.ts';
import { type Role, startJobs } from './jobs.ts';
import { mountRoutes } from './routes.ts';

/** One server, built by hand in reading order. Nothing listens and nothing runs before `start`. */
export async function composeServer(deps: ServerDependencies) {
  const { config, db, space, clock, keys, log, metrics } = deps;
  const randomBytes = pooled(systemRandomBytes);
  let address = config.baseUrl ?? '';
  const publicAddress = () => address;
  let isDraining = false;
  const draining = () => isDraining;

  const limits = await createRateLimits({ ...config, clock, log });
  const { rateLimiter } = limits;
  const admission = new Admission({ limits: config.requests, delay: clock.delay, elapsed: clock.elapsed });
  const onTrouble = (error: unknown) =>
    log.error('the log of requests was not written', describeError(error));
  const requestLogs = createRequestLogs({ db, clock, keys, metrics, onTrouble });
  const { keyUse, start: startKeyUse } = createKeyUse({ db, clock, onTrouble });
  const app = await createHttp({
    clock,
    log,
    metrics,
    trustProxy: config.trustProxy,
    randomBytes,
    rateLimiter,
    admission,
    publicAddress,
    draining,
    mayWrite: () => space?.shortage == null,
    isUnavailable,
    onAnswered: requestLogs.note,
  });
  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const idempotency = composeIdempotency(deps, idempotencyStore, randomBytes);
  const serializers = new Serializers(namedSchemas);
  const authenticate = createAuthentication(deps, clocks, keyUse);
  const api = composeApi(deps, { ...limits, app, authenticate, idempotency, serializers, publicAddress });
  const features = composeFeatures(deps, {
    app,
    clocks,
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress,
  });
  mountRoutes(deps, { ...limits, app, api, features, authenticate, draining });
  docsRoutes(app, { publicAddress, site: await loadDocsSite(), triggers });
  await mountDashboard(deps, { app, features, idempotency, serializers, rateLimiter, publicAddress });

  return {
    app,
    /** Listens, where the process answers requests. @returns the public address */
    async start(role: Role): Promise<string> {
      await Promise.all([features.connections.refresh(), features.webhooks.refreshFanOut()]);
      const { host, port } = config;
      const bound = role === 'worker' ? httpAddress(host, port) : await app.listen({ host, port });
      address = config.baseUrl ?? bound;
      return address;
    },
    /** Starts what runs beside the requests. @returns stops it */
    startJobs: (role: Role) =>
      startJobs(deps, { ...features, idempotencyStore, requestLogs, startKeyUse }, role),
    /** Answers what is under way and takes nothing new. */
    async drain(): Promise<void> {
      isDraining = true;
      await app.close();
      limits.close();
    },
  };
}

/** Where a server answers that listens there. */
const httpAddress = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
