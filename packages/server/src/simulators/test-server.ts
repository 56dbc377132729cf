import { randomBytes } from 'node:crypto';
import type { Provider } from '@till/contract';
import type { WireRequest, WireResponse } from '@till/sandbox';
import { AccountClocks } from '../accounts/account-clocks.ts';
import { accountFinder } from '../accounts/store.ts';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { createApp } from '../http/server/app.ts';
import { newId } from '../lib/ids.ts';
import { deriveKeys } from '../lib/keys.ts';
import { createLogger } from '../lib/log/log.ts';
import { createMetrics } from '../lib/metrics.ts';
import { applyNotifications } from '../processor-notifications/apply-notifications.ts';
import { processorNotificationRoutes } from '../processor-notifications/routes.ts';
import { NotificationStore } from '../processor-notifications/store.ts';
import { start, vaultOf } from '../processor-notifications/test-kit.ts';
import { sampleCard, sampleCharge } from '../processors/fixtures.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import type { Database } from '../store/database.ts';
import { createSimulators, settleSandbox } from './feature.ts';

const createTestApp = (onUnexpected: (error: unknown) => void) =>
  createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected,
  });

/** The simulators, the adapters and the intake of notifications, as in a server; no background job runs. */
export function createServer(db: Database, options: { liveSimulation?: boolean } = {}) {
  let now = start;
  const clock = {
    now: () => now,
    elapsed: () => 0,
    delay: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
  };
  const app = createTestApp((error) => unexpected.push(error));
  const delivered: { request: WireRequest; status: number }[] = [];
  const unexpected: unknown[] = [];
  const effects: { accountId: string; livemode: boolean; effect: NotificationEffect }[] = [];
  const keys = deriveKeys(Buffer.alloc(32, 7));
  const clocks = new AccountClocks(db, clock);
  const sandbox = createSimulators({
    db,
    clock,
    keys,
    log: createLogger('silent', () => {}),
    metrics: createMetrics('test', () => 0),
    timeoutMs: 10_000,
    liveSimulation: options.liveSimulation ?? false,
    wrapProcessorTransport: (_processor, usual) => usual,
    clocks,
    randomBytes,
    publicUrl: () => 'http://till.example',
    visit: () => {},
    deliver: async (request) => {
      const answer = await inject(request);
      delivered.push({ request, status: answer.status });
      return answer;
    },
    onError: (error) => unexpected.push(error),
  });
  const inject = async ({ url, headers, body }: WireRequest): Promise<WireResponse> => {
    const answer = await app.inject({ method: 'POST', url, headers, payload: body });
    return { status: answer.statusCode, headers: {}, body: answer.rawPayload };
  };
  const deps = {
    store: new NotificationStore(db),
    vault: vaultOf(db),
    clock,
    findAccount: accountFinder(db),
    identify: accountFinder(db),
    connect: sandbox.connect,
    count: () => {},
    onStored: () => {},
    onIncident: (message: string, about: object, error?: unknown) =>
      void unexpected.push({ message, about, error }),
    onFailure: (error: unknown) => void unexpected.push(error),
    lease: () => ({ owner: 0, until: new Date(now.getTime() + 60_000) }),
    apply: async (
      { accountId, livemode }: { accountId: string; livemode: boolean },
      effect: NotificationEffect,
    ) => {
      effects.push({ accountId, livemode, effect });
      return 'applied' as const;
    },
  };
  processorNotificationRoutes(app, deps);
  const settle = (merchantAccount?: string) =>
    settleSandbox({
      sendDue: () => sandbox.sendDueNotifications(merchantAccount),
      apply: () => applyNotifications(deps),
    });
  const moveTo = (ms: number) => {
    now = new Date(start.getTime() + ms);
  };
  return { sandbox, inject, delivered, unexpected, effects, settle, moveTo };
}

export type Server = ReturnType<typeof createServer>;

/** Charges a test card for a new payment. @returns the payment's id and its upstream ids */
export async function charge(
  { sandbox }: Server,
  account: { accountId: string; livemode: boolean; processor: Provider },
  holderName = 'Ada Lovelace',
): Promise<{ id: string; upstream: UpstreamIds }> {
  const connected = sandbox.connect(account);
  if (connected === undefined) throw new Error('no connection');
  const paymentId = newId('pay', start, randomBytes);
  const outcome = await connected.port.charge(
    connected.connection,
    sampleCharge({
      paymentId,
      upstreamKey: `${paymentId}:c`,
      authentication: 'never',
      save: null,
      riskSession: null,
      transactionContext: null,
      instrument: { kind: 'card', card: { ...sampleCard, holderName } },
    }),
  );
  if (outcome.kind !== 'succeeded') throw new Error(`the charge is ${outcome.kind}`);
  return { id: paymentId, upstream: outcome.facts.upstream };
}

/** The effects that concern a payment. */
export const aboutPayment = (effects: Server['effects'], paymentId: string) =>
  effects.filter(({ effect }) => 'paymentId' in effect && effect.paymentId === paymentId);
