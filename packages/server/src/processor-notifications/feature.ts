import { type Provider, providers } from '@till/contract';
import { together } from '../jobs/fair-sweep.ts';
import type { Clock } from '../lib/clock.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Connect } from '../processors/port/connected.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { applyEffect, type NotifiedFeatures } from './apply-effect.ts';
import { createApplyJob } from './apply-job.ts';
import { notificationQueue } from './apply-notifications.ts';
import type {
  ApplyDependencies,
  IntakeDependencies,
  NotificationLabel,
  NotificationVault,
} from './dependencies.ts';
import { Inbox } from './inbox.ts';
import { NotificationStore } from './store.ts';

/** Creates the intake of processor notifications, and the job that passes each one to the feature that it concerns. */
export function createNotifications({
  db,
  clock,
  log,
  metrics,
  vault,
  findAccount,
  identify,
  connect,
  lease,
  features,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly vault: NotificationVault;
  readonly findAccount: ApplyDependencies['findAccount'];
  readonly identify: IntakeDependencies['identify'];
  readonly connect: Connect;
  readonly lease: ApplyDependencies['lease'];
  readonly features: NotifiedFeatures;
}) {
  const shared = {
    store: new NotificationStore(db),
    vault,
    clock,
    connect,
    onIncident: (message: string, about: NotificationLabel, error?: unknown) => {
      const { accountId, ...rest } = about;
      log.warn(message, {
        account: accountId,
        ...rest,
        ...(error === undefined ? {} : describeError(error)),
      });
    },
  };
  const inbox: Inbox = new Inbox(lease, (tenant, processor) => queues.get(processor)?.onFilled(tenant));
  const queueOf = (processor: Provider) =>
    notificationQueue(
      {
        ...shared,
        inbox,
        findAccount,
        onFailure: (error, account) =>
          log.error('applying notifications failed', { account, ...describeError(error) }),
        lease,
        apply: (context, effect, sender) => applyEffect(features, context, effect, sender),
      },
      processor,
    );
  // Each processor has a queue of its own, so that one that hangs takes no capacity from the other.
  const queues = new Map(providers.map((processor) => [processor, queueOf(processor)]));
  const all = together([...queues.values()]);
  const applyJob = createApplyJob(
    async () => {
      await all.poll();
      return 0;
    },
    (error) => log.error('applying notifications failed', describeError(error)),
  );
  const job = {
    ...all,
    /** Applies the due notifications of one account and mode. @returns how many were applied meanwhile */
    async applyTenant(tenant: Tenant): Promise<number> {
      const account = await findAccount(tenant.accountId);
      return (account && (await queues.get(account.processor)?.applyTenant(tenant))) ?? 0;
    },
    /** Polls soon; nobody waits for it. */
    wake: applyJob.wake,
    async stop() {
      await applyJob.stop();
      await all.stop();
    },
  };
  const intake: IntakeDependencies = {
    ...shared,
    count: (processor, result) => metrics.processorNotifications.inc({ processor, result }),
    identify,
    reserve: (tenant) => inbox.reserve(tenant),
    onStored: applyJob.wake,
  };
  return { job, intake, store: shared.store };
}
