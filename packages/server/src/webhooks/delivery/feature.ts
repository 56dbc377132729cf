import { FanOut } from '../../events/fan-out.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../store/database.ts';
import type { TenantId } from '../../store/tenant.ts';
import type { Vault } from '../../vault/vault.ts';
import { endDeliveriesOfDeleted } from '../endpoints/end-deliveries.ts';
import { noteFailing } from '../endpoints/notice-store.ts';
import { type NoticeMail, noticeMail, notifyOwners } from '../endpoints/notices.ts';
import { removeFormerSecrets } from '../endpoints/store.ts';
import { addressPolicy } from '../endpoints/target-address.ts';
import type { AttemptDependencies } from './attempt.ts';
import { systemResolver } from './connect.ts';
import { DeliveryWorker } from './deliver.ts';
import { keepAttemptPartitions } from './keep-attempts.ts';
import { type WebhookTransport, webhookTransport } from './transport.ts';

interface WebhookDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
  readonly addresses: Parameters<typeof addressPolicy>[0];
  /** Address of the forward proxy that deliveries go through; null: none. */
  readonly proxy: string | null;
  /** Gaps between attempts, in milliseconds. */
  readonly schedule: readonly number[];
  /** Stands before the usual way out; tests of crashes break it. */
  readonly toReceivers: (usual: WebhookTransport) => WebhookTransport;
  readonly traced?: AttemptDependencies['traced'];
  /** Puts a mail to an account's owners into the outbox. */
  readonly queueMail: (accountId: string, mail: NoticeMail) => Promise<unknown>;
}

/** What sends events to the merchants' endpoints. */
export function createWebhooks(deps: WebhookDependencies) {
  const { db, clock, log } = deps;
  const usual = webhookTransport({
    policy: addressPolicy(deps.addresses),
    resolve: systemResolver(),
    clock,
    proxy: deps.proxy,
  });
  const transport = deps.toReceivers(usual);
  const worker = createWorker(deps, transport);
  const fanOut = new FanOut(db);
  return {
    fanOutOf: (tenant: TenantId) => fanOut.of(tenant),
    /** Looks which accounts have many endpoints. */
    refreshFanOut: () => fanOut.refresh(),
    wake: (accountId: string) => worker.wake(accountId),
    /** Begins to send. @returns stops it; resolves once the attempts under way are recorded */
    start(): () => Promise<void> {
      const stop = worker.start();
      return async () => {
        await stop();
        await transport.close();
      };
    },
    /** Notifies the owners of endpoints that fail or were paused. */
    async notifyOwners() {
      await noteFailing(db, clock.now());
      await notifyOwners({
        db,
        clock,
        onIncident: (error, account) =>
          log.error('owners were not notified of a failing webhook', { account, ...describeError(error) }),
        queueMail: async (endpoint) => void (await deps.queueMail(endpoint.account_id, noticeMail(endpoint))),
      });
    },
    /** Takes signing secrets away that were replaced and sign no longer. */
    removeFormerSecrets: () => removeFormerSecrets(db, clock.now()),
    /** Ends deliveries to endpoints that were deleted while they were written. */
    endDeliveriesOfDeleted: () => endDeliveriesOfDeleted(db, clock.now()),
    /** Makes the attempts' tables of the coming weeks and drops those older than 30 days. */
    keepPartitions: () => keepAttemptPartitions(db, clock.now()),
  };
}

const createWorker = (
  { db, clock, log, metrics, vault, randomBytes, schedule, traced }: WebhookDependencies,
  transport: WebhookTransport,
) =>
  new DeliveryWorker({
    db,
    vault,
    transport,
    clock,
    randomBytes,
    schedule,
    traced,
    onAttempt: ({ state, durationMs }) =>
      metrics.webhookDuration.observe({ outcome: state }, durationMs / 1000),
    onParked: (delivery) =>
      log.error('a webhook was set aside because its attempts ended their process', {
        delivery: delivery.id,
        endpoint: delivery.endpoint_id,
        account: delivery.account_id,
      }),
    onIncident: (message, error) => log.error(message, describeError(error)),
  });
