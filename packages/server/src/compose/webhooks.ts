import { FanOut } from '../events/fan-out.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log.ts';
import { type MailDependencies, queueMail } from '../mail/queue-mail.ts';
import type { TenantId } from '../store/tenant.ts';
import type { Vault } from '../vault/vault.ts';
import { DeliveryWorker } from '../webhooks/delivery/deliver.ts';
import { keepAttemptPartitions } from '../webhooks/delivery/keep-attempts.ts';
import { systemResolver } from '../webhooks/delivery/resolve.ts';
import { webhookTransport } from '../webhooks/delivery/transport.ts';
import { notifyOwnersOfPauses, pausedMail } from '../webhooks/endpoints/pause-notices.ts';
import { addressPolicy } from '../webhooks/endpoints/target-address.ts';
import type { ServerDependencies } from './dependencies.ts';

/** What sends events to the merchants' endpoints. */
export function composeWebhooks(
  { config, db, clock, log, metrics, ways }: ServerDependencies,
  built: { readonly vault: Vault; readonly randomBytes: RandomBytes; readonly mail: MailDependencies },
) {
  const { allowed, loopback, schedule } = config.webhooks;
  const usual = webhookTransport({
    policy: addressPolicy({ allowed, loopback }),
    resolve: systemResolver(),
    clock,
  });
  const transport = ways?.toReceivers(usual) ?? usual;
  const worker = new DeliveryWorker({
    db,
    vault: built.vault,
    transport,
    clock,
    randomBytes: built.randomBytes,
    schedule,
    onAttempt: ({ state, durationMs }) =>
      metrics.webhookDuration.observe({ outcome: state }, durationMs / 1000),
    onParked: (delivery) =>
      log.error('a webhook was set aside because its attempts ended their process', {
        delivery: delivery.id,
        endpoint: delivery.endpoint_id,
        account: delivery.account_id,
      }),
    onTrouble: (message, error) => log.error(message, describeError(error)),
  });
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
    /** Notifies the owners of endpoints that were paused. */
    notifyOwners: () =>
      notifyOwnersOfPauses({
        db,
        clock,
        onTrouble: (error, account) =>
          log.error('owners were not notified of a paused webhook', { account, ...describeError(error) }),
        queueMail: async (endpoint) =>
          void (await queueMail(built.mail, endpoint.account_id, pausedMail(endpoint))),
      }),
    /** Makes the attempts' tables of the coming weeks and drops those older than 30 days. */
    keepPartitions: () => keepAttemptPartitions(db, clock.now()),
  };
}
