import { removeOld, retentionMs } from '@till/sandbox';
import type { ApprovalDependencies } from '../approvals/dependencies.ts';
import { approvalExpiry, approvalRuns } from '../approvals/sweeps.ts';
import { removeOldCounts } from '../card-testing/store.ts';
import { windowMs } from '../card-testing/verdict.ts';
import { dropOldFences } from '../cells/move/settle.ts';
import type { KnownConnections } from '../connections/known.ts';
import { countFigures } from '../dashboard/figures/count.ts';
import { disputeExpiry } from '../disputes/deadlines/expire-disputes.ts';
import { disputeReminders } from '../disputes/deadlines/remind-disputes.ts';
import type { DisputeDependencies } from '../disputes/dependencies.ts';
import { disputeRecoveries } from '../disputes/operations/recover-disputes.ts';
import { type FileDependencies, removeUnusedFiles } from '../files/files.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { Sweep } from '../jobs/fair-sweep.ts';
import { periodically } from '../jobs/periodic.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import { outgoingMails, type SendMailDependencies } from '../mail/send-mails.ts';
import type { OperationKind } from '../operations/operation.ts';
import { operationRecovery, type Recover } from '../operations/recover.ts';
import type { PaymentMethodDependencies } from '../payment-methods/payment-methods.ts';
import { removalRecoveries } from '../payment-methods/remove-payment-method.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import { guaranteeNotices } from '../payments/holds/announce-guarantees.ts';
import { paymentExpiry } from '../payments/operations/expire.ts';
import { paymentRecoveries } from '../payments/operations/recoveries.ts';
import type { createNotifications } from '../processor-notifications/feature.ts';
import type { RefundDependencies } from '../refunds/dependencies.ts';
import { refundRecoveries } from '../refunds/refund.ts';
import type { createRequestLogs } from '../request-logs/feature.ts';
import { laterMatches } from '../settlements/match-later.ts';
import type { createSimulators } from '../simulators/feature.ts';
import { vacuumOfBloatedTables } from '../store/maintenance/dead-rows.ts';
import type { DiskSpace } from '../store/maintenance/disk-space.ts';
import { analyzeYoungTables } from '../store/maintenance/young-tables.ts';
import type { Tenant } from '../store/tenant.ts';
import { tidyPeople } from '../users/feature.ts';
import type { PeopleDependencies } from '../users/people/dependencies.ts';
import type { createWebhooks } from '../webhooks/delivery/feature.ts';
import type { ServerDependencies } from './dependencies.ts';

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

export interface Jobs {
  readonly approvals: ApprovalDependencies;
  readonly disputes: DisputeDependencies;
  readonly connections: Pick<KnownConnections, 'refresh'>;
  readonly closeUpstreams: () => Promise<void>;
  readonly startKeyUse: () => () => Promise<void>;
  readonly outbox: SendMailDependencies | null;
  readonly people: PeopleDependencies;
  readonly webhooks: ReturnType<typeof createWebhooks>;
  readonly payments: PaymentDependencies;
  readonly methods: PaymentMethodDependencies;
  readonly refunds: RefundDependencies;
  readonly files: FileDependencies;
  readonly idempotencyStore: IdempotencyStore;
  readonly requestLogs: ReturnType<typeof createRequestLogs>;
  readonly notifications: ReturnType<typeof createNotifications>;
  readonly sandbox: Pick<ReturnType<typeof createSimulators>, 'poller' | 'deps'>;
}

/** Checks the free disk space of the database, and logs when it becomes too little and when it is sufficient again. */
async function watchSpace(space: DiskSpace, log: Logger): Promise<void> {
  const before = space.shortage;
  await space.check();
  if ((before === null) === (space.shortage === null)) return;
  if (space.shortage !== null) log.error('the disk is nearly full', { detail: space.shortage });
  else log.warn('the disk has room again');
}

/** The role of a process: `web` answers requests, `worker` runs background jobs, `all` does both. */
export type Role = 'all' | 'web' | 'worker';

/** Starts the jobs of a process. @returns a function that stops them */
export function startJobs(deps: ServerDependencies, jobs: Jobs, role: Role): () => Promise<void> {
  const { space, log } = deps;
  const job = jobsOf(deps);
  // Jobs that every process needs: they read settings changed elsewhere, check the disk, and write the process's request log.
  const stops = [
    job('credentials of connections', 2 * secondMs, () => jobs.connections.refresh()),
    job('numbers of endpoints', 10 * secondMs, () => jobs.webhooks.refreshFanOut()),
    ...(space === undefined ? [] : [job('looking at the disk', secondMs, () => watchSpace(space, log))]),
    jobs.requestLogs.start(),
    jobs.startKeyUse(),
    ...(role === 'web' ? [] : startBackground(deps, jobs)),
  ];
  return async () => {
    await Promise.all([...stops.map((stop) => stop()), jobs.sandbox.poller.stop()]);
    await jobs.notifications.job.stop();
    await jobs.closeUpstreams();
  };
}

const jobsOf =
  ({ clock, log, tracing }: Pick<ServerDependencies, 'clock' | 'log' | 'tracing'>) =>
  (name: string, intervalMs: number, work: (stopping: AbortSignal) => Promise<unknown>) =>
    periodically(
      clock,
      intervalMs,
      async (stopping) => {
        const run = () => work(stopping);
        await (tracing === undefined ? run() : tracing.job(name, run));
      },
      (error) => log.error(`${name} failed`, describeError(error)),
    );

/** The recovery of each kind of operation. A missing kind is a type error. */
export const recoveriesOf = ({
  payments,
  refunds,
  disputes,
  methods,
}: Pick<Jobs, 'payments' | 'refunds' | 'disputes' | 'methods'>): Record<OperationKind, Recover> => ({
  ...paymentRecoveries(payments),
  ...refundRecoveries(refunds),
  ...disputeRecoveries(disputes),
  ...removalRecoveries(methods),
});

/** Starts the jobs that processes share by leases: any number of processes may run them, and at least one has to. */
function startBackground(deps: ServerDependencies, jobs: Jobs): (() => Promise<void>)[] {
  const { db, clock } = deps;
  const job = jobsOf(deps);
  const sweep = (name: string, intervalMs: number, due: Sweep) => {
    const stop = job(name, intervalMs, () => due.poll());
    return async () => {
      await stop();
      await due.stop();
    };
  };
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  const { notifications, sandbox } = jobs;
  const onUnmatched = (error: unknown, tenant: Tenant) =>
    jobs.payments.onIncident(tenant, 'lines of payouts could not be matched', null, error);
  const stops = [
    sweep('recovery', 2 * secondMs, operationRecovery(jobs.payments, recoveriesOf(jobs))),
    // Frequent enough to fail an unconfirmed payment within a minute after its window closes (decisions, "Payments").
    sweep('expiry', 15 * secondMs, paymentExpiry(jobs.payments)),
    sweep('expiry of disputes', 15 * secondMs, disputeExpiry(jobs.disputes)),
    sweep('approved requests', 2 * secondMs, approvalRuns(jobs.approvals)),
    sweep('expiry of approvals', 15 * secondMs, approvalExpiry(jobs.approvals)),
    sweep('reminders of disputes', minuteMs, disputeReminders(jobs.disputes)),
    sweep('notices of holds', 15 * minuteMs, guaranteeNotices(jobs.payments)),
    sweep('notifications', 2 * secondMs, notifications.job),
    sweep('matching payouts later', 5 * minuteMs, laterMatches({ db, clock, onError: onUnmatched })),
    job('simulated notifications', 2 * secondMs, () => sandbox.poller.check()),
    job('mail about failing webhooks', minuteMs, () => jobs.webhooks.notifyOwners()),
    job('deliveries to deleted endpoints', minuteMs, () => jobs.webhooks.endDeliveriesOfDeleted()),
    job('replaced signing secrets', minuteMs, () => jobs.webhooks.removeFormerSecrets()),
    job('statistics of tables that grow', secondMs, () => analyzeYoungTables(db)),
    job('dead rows', 5 * secondMs, vacuumOfBloatedTables(db)),
    job('tables for webhook attempts', hourMs, () => jobs.webhooks.keepPartitions()),
    job('tables for request logs', hourMs, () => jobs.requestLogs.keepPartitions()),
    job('figures of the home page', 10 * secondMs, (stopping) => countFigures({ db, clock }, stopping)),
    job('removing counts of declines', hourMs, () => removeOldCounts(db, ago(windowMs))),
    job('fences of accounts that left', minuteMs, () => dropOldFences(db, clock)),
    job('removing files that no dispute uses', hourMs, () => removeUnusedFiles(jobs.files)),
    job('removing idempotency records', hourMs, async () => {
      while ((await jobs.idempotencyStore.removeExpired(ago(24 * hourMs))) > 0);
    }),
    job('removing what simulators no longer need', hourMs, async () => {
      while ((await removeOld(sandbox.deps.database, ago(retentionMs))) > 0);
    }),
    job('removing notifications', hourMs, async () => {
      while ((await notifications.store.removeApplied(ago(30 * 24 * hourMs))) > 0);
    }),
  ];
  if (deps.within === undefined) {
    stops.push(job('removing ended sessions', hourMs, () => tidyPeople(jobs.people)));
  }
  if (jobs.outbox !== null) {
    const { outbox } = jobs;
    stops.push(sweep('mail', 2 * secondMs, outgoingMails(outbox)));
  }
  stops.push(jobs.webhooks.start());
  return stops;
}
