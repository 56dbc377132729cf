import { randomBytes as systemRandomBytes } from 'node:crypto';
import { namedSchemas } from '@till/contract';
import { AccountClocks } from './accounts/account-clocks.ts';
import { mountDashboard } from './compose/dashboard.ts';
import { composeFeatures } from './compose/features.ts';
import { composeApi, composeApp, composeAuthentication, composeIdempotency } from './compose/http.ts';
import { startJobs } from './compose/jobs.ts';
import type { ServerParts } from './compose/parts.ts';
import { composeRequestLogs } from './compose/request-logs.ts';
import { mountRoutes } from './compose/routes.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { Serializers } from './http/serialize.ts';
import { IdempotencyStore } from './idempotency/store.ts';
import { pooled } from './lib/ids.ts';

/** One server, built by hand in reading order. Nothing listens and nothing runs before `start`. */
export async function composeServer(parts: ServerParts) {
  const { config, db, clock } = parts;
  const randomBytes = pooled(systemRandomBytes);
  let address = config.baseUrl ?? '';
  const publicAddress = () => address;
  let isDraining = false;
  const draining = () => isDraining;

  const rateLimiter = new RateLimiter({ ...config.rateLimit, elapsed: clock.elapsed });
  const requestLogs = composeRequestLogs(parts);
  const { onAnswered, keyUse } = requestLogs;
  const app = await composeApp(parts, { randomBytes, rateLimiter, publicAddress, draining, onAnswered });
  const clocks = new AccountClocks(db, clock);
  const idempotencyStore = new IdempotencyStore(db);
  const idempotency = composeIdempotency(parts, idempotencyStore);
  const serializers = new Serializers(namedSchemas);
  const authenticate = composeAuthentication(parts, clocks, keyUse);
  const api = composeApi(parts, {
    app,
    authenticate,
    idempotency,
    serializers,
    rateLimiter,
    publicAddress,
  });
  const features = composeFeatures(parts, {
    app,
    clocks,
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress,
  });
  mountRoutes(parts, { app, api, features, authenticate, rateLimiter, randomBytes, draining });
  await mountDashboard(parts, { app, features, idempotency, serializers, rateLimiter, publicAddress });

  return {
    app,
    /** Listens and starts the background work. @returns the public address */
    async start(): Promise<string> {
      const bound = await app.listen({ host: config.host, port: config.port });
      address = config.baseUrl ?? bound;
      return address;
    },
    /** Starts what runs beside the requests. @returns stops it */
    startJobs: () => startJobs(parts, { ...features, idempotencyStore, requestLogs }),
    /** Answers what is under way and takes nothing new. */
    async drain(): Promise<void> {
      isDraining = true;
      await app.close();
    },
  };
}
