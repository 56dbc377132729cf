import { randomBytes } from 'node:crypto';
import { namedSchemas } from '@till/contract';
import type { Role } from '@till/contract/dashboard';
import type { FastifyInstance } from 'fastify';
import { changeAccount } from '../accounts/store.ts';
import { Serializers } from '../http/api/serialize.ts';
import { createValidator } from '../http/input/validate.ts';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import type { RequestRecord } from '../http/server/request-record.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import { IdempotencyStore } from '../idempotency/store.ts';
import { newId } from '../lib/ids.ts';
import { deriveKeys } from '../lib/keys.ts';
import { auditEntry, nextEntry, writeAudit } from '../users/audit/audit.ts';
import { findWorkspace } from '../users/people/workspaces.ts';
import { csrfTokenOf, findSession, startSession } from '../users/sign-in/sessions.ts';
import { client, createPeopleKit } from '../users/test-kit.ts';
import { DashboardApi } from './api.ts';
import type { ReplicaReads } from './replica-reads.ts';

export const origin = 'http://till.example';

/** The burst that the rate limit of a session allows in tests. */
const burst = 200;

export interface CallOptions {
  readonly body?: unknown;
  readonly payload?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The dashboard's API without any mounted operation, on a database of its own. */
export async function createDashboardKit(configuredUrl: string | null = origin, elsewhere?: ReplicaReads) {
  const kit = await createPeopleKit();
  const { db, clock, people } = kit;
  const records: RequestRecord[] = [];
  const unexpected: unknown[] = [];
  let sessionsLookedFor = 0;
  const rateLimiter = new RateLimiter({ perSecond: 100, burst, elapsed: clock.elapsed });
  const app = createApp({
    newRequestId: () => newId('req', clock.now(), randomBytes),
    elapsed: clock.elapsed,
    baseUrl: () => configuredUrl ?? origin,
    trustProxy: [],
    rateLimiter,
    isUnavailable: () => false,
    onRequestDone: (record) => records.push(record),
    onUnexpected: (error) => unexpected.push(error),
  });
  const idempotencyStore = new IdempotencyStore(db);
  const api = new DashboardApi({
    app,
    ajv: createValidator(namedSchemas),
    serializers: new Serializers(namedSchemas),
    clock,
    idempotency: new Idempotency({
      store: idempotencyStore,
      clock,
      randomBytes,
      keys: deriveKeys(Buffer.alloc(32, 1)),
      instance: { number: 1 },
      leaseMs: 60_000,
    }),
    rateLimiter,
    addressLimiter: new RateLimiter({ perSecond: 500, burst: 5 * burst, elapsed: clock.elapsed }),
    baseUrl: () => configuredUrl ?? origin,
    configuredUrl,
    findSession: (token) => {
      sessionsLookedFor += 1;
      return findSession(people, token);
    },
    findWorkspace: (userId, accountId) => findWorkspace(people, userId, accountId),
    audit: {
      write: (entry, tx = db) => writeAudit({ ...people, db: tx }, entry),
      entry: (entry) => auditEntry(people, entry),
      next: () => nextEntry(people),
    },
    onReplay: () => {},
    elsewhere,
  });
  return {
    ...kit,
    primary: db,
    /** Nothing in these tests needs connections of its own for reads. */
    reads: db,
    app,
    api,
    records,
    unexpected,
    sessionsLookedFor: () => sessionsLookedFor,
    idempotencyStore,
    goLive: (accountId: string) =>
      changeAccount(db, accountId, { environment: 'live', activation: 'active' }),
    /** Adds a member who is signed in. @returns also the headers that the member's browser sends */
    async signIn(accountId: string, role: Role) {
      const user = await kit.addUser({ [accountId]: role });
      const { session, token } = await startSession(people, user, client);
      return { user, session, token, headers: sentBy(token), call: callAs(app, sentBy(token)) };
    },
  };
}

export type DashboardKit = Awaited<ReturnType<typeof createDashboardKit>>;

/** The headers that the page sends with a change. */
export const sentBy = (token: string) => ({
  cookie: `till_session=${token}`,
  origin,
  host: new URL(origin).host,
  'x-csrf-token': csrfTokenOf(token),
});

export interface TestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Calls the API as this browser does. */
const callAs =
  (app: FastifyInstance, headers: ReturnType<typeof sentBy>) =>
  async (
    method: Method,
    path: string,
    { body, payload, headers: more }: CallOptions = {},
  ): Promise<TestReply> => {
    const content = payload ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = content === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await app.inject({
      method,
      url: `/dashboard/api${path}`,
      headers: { ...headers, ...type, ...more },
      ...(content === undefined ? {} : { payload: content }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: parse(answer.body),
    };
  };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
