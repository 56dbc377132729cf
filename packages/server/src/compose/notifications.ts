import type { WireRequest, WireResponse } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { accountFinder } from '../accounts/store.ts';
import { applyDisputeFacts } from '../disputes/apply-facts.ts';
import type { DisputeDependencies } from '../disputes/dependencies.ts';
import { describeError } from '../lib/log.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import { createApplyJob } from '../processor-notifications/apply-job.ts';
import { notificationQueue } from '../processor-notifications/apply-notifications.ts';
import type {
  ApplyDependencies,
  IntakeDependencies,
  NotificationLabel,
  NotificationVault,
} from '../processor-notifications/dependencies.ts';
import { NotificationStore } from '../processor-notifications/store.ts';
import type { ServerDependencies } from './dependencies.ts';
import { applyMoneyUpdate, type composePayments } from './payments.ts';

/** Notifications of processors: their intake, and the job that takes each to the feature that it is about. */
export function composeNotifications(
  { db, clock, log, metrics }: ServerDependencies,
  built: {
    connect: PaymentDependencies['connect'];
    money: ReturnType<typeof composePayments>;
    disputes: DisputeDependencies;
    vault: NotificationVault;
  },
) {
  const shared = {
    store: new NotificationStore(db),
    vault: built.vault,
    clock,
    findAccount: accountFinder(db),
    connect: built.connect,
    onTrouble: (message: string, about: NotificationLabel, error?: unknown) => {
      const { accountId, ...rest } = about;
      log.warn(message, {
        account: accountId,
        ...rest,
        ...(error === undefined ? {} : describeError(error)),
      });
    },
  };
  const apply: ApplyDependencies = {
    ...shared,
    onFailure: (error, account) =>
      log.error('applying notifications failed', { account, ...describeError(error) }),
    lease: built.money.payments.lease,
    apply: async (context, effect, sender) =>
      effect.kind === 'dispute'
        ? applyDisputeFacts(built.disputes, context, effect.facts, sender)
        : applyMoneyUpdate(built.money, context, effect, sender),
  };
  const queue = notificationQueue(apply);
  const looks = createApplyJob(
    async () => {
      await queue.look();
      return 0;
    },
    (error) => log.error('applying notifications failed', describeError(error)),
  );
  const job = {
    ...queue,
    /** Looks soon, without anybody who waits for it. */
    wake: looks.wake,
    async stop() {
      await looks.stop();
      await queue.stop();
    },
  };
  const intake: IntakeDependencies = {
    ...shared,
    count: (processor, result) => metrics.processorNotifications.inc({ processor, result }),
    onStored: job.wake,
  };
  return { job, intake, store: shared.store };
}

/** Carries the simulators' requests to this very server, without a network. */
export const inProcess =
  (app: FastifyInstance) =>
  async ({ method, url, headers, body }: WireRequest): Promise<WireResponse> => {
    const response = await app.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: new URL(url).pathname,
      headers: { ...headers },
      payload: body,
    });
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: response.rawPayload,
    };
  };
