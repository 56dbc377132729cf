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
  /** Address of the forward proxy that deliveries go through; null if there is none. */
  readonly proxy: string | null;
  /** Gaps between attempts, in milliseconds. */
  readonly schedule: readonly number[];
  /** Wraps the transport that production uses. Crash tests inject faults here. */
  readonly wrapReceiverTransport: (usual: WebhookTransport) => WebhookTransport;
  readonly traced?: AttemptDependencies['traced'];
  /** Puts a mail to an account's owners into the outbox. */
  readonly queueMail: (accountId: string, mail: NoticeMail) => Promise<unknown>;
}

/** Assembles everything that sends events to the merchants' webhook endpoints. */
export function createWebhooks(deps: WebhookDependencies) {
  const { db, clock, log } = deps;
  const usual = webhookTransport({
    policy: addressPolicy(deps.addresses),
    resolve: systemResolver(),
    clock,
    proxy: deps.proxy,
  });
  const transport = deps.wrapReceiverTransport(usual);
  const worker = createWorker(deps, transport);
  const fanOut = new FanOut(db);
  return {
    fanOutOf: (tenant: TenantId) => fanOut.of(tenant),
    /** Refreshes the list of accounts that have many endpoints. */
    refreshFanOut: () => fanOut.refresh(),
    wake: (accountId: string) => worker.wake(accountId),
    /** Starts to send. @returns stops sending; resolves once the attempts in flight are recorded */
    start(): () => Promise<void> {
      const stop = worker.start();
      return async () => {
        await stop();
        await transport.close();
      };
    },
    /** Notifies the owners of endpoints that are failing or were paused. */
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
    /** Deletes signing secrets that were replaced and no longer sign. */
    removeFormerSecrets: () => removeFormerSecrets(db, clock.now()),
    /** Fails deliveries that were written while their endpoint was being deleted. */
    endDeliveriesOfDeleted: () => endDeliveriesOfDeleted(db, clock.now()),
    /**
     * Creates the partitions of the attempts for the coming weeks, and drops those in which every attempt is older than
     * 30 days.
     */
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
