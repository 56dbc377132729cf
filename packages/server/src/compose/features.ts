import { Customer, Dispute, type Provider } from '@till/contract';
import { settle } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { AccountContext } from '../accounts/context.ts';
import { accountFinders, findAccount, tenantOf } from '../accounts/store.ts';
import type { ApprovalDependencies } from '../approvals/dependencies.ts';
import { expireApprovals } from '../approvals/sweeps.ts';
import { createCheckout } from '../checkout/feature.ts';
import { createConnections } from '../connections/feature.ts';
import { createCustomers } from '../customers/feature.ts';
import { expireDisputes } from '../disputes/deadlines/expire-disputes.ts';
import { remindDisputes } from '../disputes/deadlines/remind-disputes.ts';
import type { DisputeDependencies } from '../disputes/dependencies.ts';
import { createDisputes } from '../disputes/feature.ts';
import { createFiles } from '../files/feature.ts';
import type { Serializers } from '../http/api/serialize.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log/log.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { createMail } from '../mail/feature.ts';
import { queueMail } from '../mail/queue-mail.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import { announceGuarantees } from '../payments/holds/announce-guarantees.ts';
import { expirePayments } from '../payments/operations/expire.ts';
import { createNotifications } from '../processor-notifications/feature.ts';
import { receiveNotification } from '../processor-notifications/receive-notification.ts';
import { createUpstreams } from '../processors/feature.ts';
import { simulatorIdentity } from '../processors/port/connected.ts';
import type { Transport } from '../processors/wire/transport.ts';
import { createTestHelpers } from '../sandbox-helpers/feature.ts';
import { type TestHelperDependencies, visit } from '../sandbox-helpers/helpers.ts';
import { ImportQueue } from '../settlements/import-queue.ts';
import { type ReportToImport, tryImportReport } from '../settlements/import-report.ts';
import { disputeSimulator } from '../simulators/dispute-simulator.ts';
import { createSimulators, settleSandbox } from '../simulators/feature.ts';
import { inProcessDelivery } from '../simulators/in-process.ts';
import { createPeople } from '../users/feature.ts';
import { Vault } from '../vault/vault.ts';
import { createWebhooks } from '../webhooks/delivery/feature.ts';
import { homeOf, type ServerDependencies } from './dependencies.ts';
import { composeMoney } from './money.ts';

export interface FeatureWiring {
  readonly app: FastifyInstance;
  readonly clocks: AccountClocks;
  readonly idempotencyStore: IdempotencyStore;
  readonly serializers: Serializers;
  readonly randomBytes: RandomBytes;
  readonly publicAddress: () => string;
}

export type Features = ReturnType<typeof composeFeatures>;

/** Composes the features in the order of their dependencies. */
export function composeFeatures(server: ServerDependencies, wiring: FeatureWiring) {
  const { config, db, clock, log, metrics, masterKeys } = server;
  const { serializers, randomBytes, publicAddress } = wiring;
  const shared = { db, clock, log, metrics };
  const vault = new Vault({ db, clock, randomBytes, masterKeys });
  const { mail, outbox } = createMail({ ...config, db, clock, log, randomBytes });
  const people = createPeople({ db: homeOf(server), clock, masterKeys, randomBytes, mail, publicAddress });
  const webhooks = createWebhooks({
    ...shared,
    vault,
    randomBytes,
    ...config.webhooks,
    addresses: config.webhooks,
    wrapReceiverTransport: (usual) => server.transports?.wrapReceiverTransport(usual) ?? usual,
    traced: server.tracing?.delivery,
    queueMail: (accountId, content) => queueMail(mail, accountId, content),
  });
  const customers = createCustomers({ db, clock, randomBytes, write: serializers.for(Customer) });
  const files = createFiles({ db, clock, randomBytes });
  const later = () => ({ checkout, notifications });
  const processors = composeProcessors(server, { ...wiring, vault, later });
  const { sandbox } = processors;
  const { connect } = sandbox;
  const money = composeMoney(server, { ...wiring, customers, vault, connect, mail, webhooks });
  const { payments, links } = money;
  const disputes = createDisputes({
    log,
    instance: server.instance,
    payments,
    files: files.store,
    mail,
    write: serializers.for(Dispute),
  });
  const notifications = createNotifications({
    ...shared,
    vault,
    ...accountFinders(db),
    connect,
    lease: payments.lease,
    features: { ...money, disputes },
  });
  const { liveSimulation } = config;
  const checkout = createCheckout({ db, log, vault, payments, links, mail, liveSimulation });
  const steps = composeClockSteps(server, { ...money, sandbox, notifications, webhooks, disputes });
  const reportImports = new ImportQueue(clock);
  const testing = composeTesting(server, {
    ...steps,
    ...money,
    sandbox,
    checkout,
    disputes,
    randomBytes,
    reportImports,
  });
  return {
    ...money,
    disputes,
    files,
    vault,
    ...processors,
    people,
    outbox,
    webhooks,
    customers,
    notifications,
    checkout,
    testing,
    reportImports,
  };
}

/** Composes the processors: the real ones for accounts with their own credentials, and the simulators for all others. */
function composeProcessors(
  { config, db, clock, keys, log, metrics, transports, tracing }: ServerDependencies,
  built: FeatureWiring & {
    readonly vault: Vault;
    /** Returns the features that the simulators call. They are composed after the simulators. */
    readonly later: () => {
      readonly checkout: ReturnType<typeof createCheckout>;
      readonly notifications: ReturnType<typeof createNotifications>;
    };
  },
) {
  const logged = (message: string) => (error: unknown) => log.error(message, describeError(error));
  const exchanges = {
    clock,
    log,
    metrics,
    timeoutMs: config.processorTimeoutMs,
    wrapProcessorTransport(processor: Provider, usual: Transport) {
      const transport = transports?.wrapProcessorTransport(processor, usual) ?? usual;
      return tracing?.exchanges(transport) ?? transport;
    },
  };
  const connections = createConnections({ db, vault: built.vault, log });
  const {
    upstreams,
    checkConnection,
    close: closeUpstreams,
  } = createUpstreams({
    ...exchanges,
    find: (accountId, livemode) => connections.find(accountId, livemode),
  });
  const sandbox = createSimulators({
    ...exchanges,
    db,
    keys,
    liveSimulation: config.liveSimulation,
    upstreams,
    clocks: built.clocks,
    randomBytes: built.randomBytes,
    publicUrl: built.publicAddress,
    visit: (url) => void visit(built.later(), url).catch(logged('virtual buyer failed')),
    deliver: inProcessDelivery((processor, ...delivery) => {
      const { intake } = built.later().notifications;
      const receive = () => receiveNotification(intake, processor, ...delivery);
      return tracing?.notification(processor, receive) ?? receive();
    }, logged('simulated notification not received')),
    onError: logged('simulated notifications not sent'),
  });
  return { connections, checkConnection, closeUpstreams, sandbox };
}

interface ClockStepDependencies {
  readonly sandbox: ReturnType<typeof createSimulators>;
  readonly notifications: ReturnType<typeof createNotifications>;
  readonly webhooks: ReturnType<typeof createWebhooks>;
  readonly payments: PaymentDependencies;
  readonly disputes: DisputeDependencies;
  readonly approvals: ApprovalDependencies;
}

/** Composes the helpers that play buyers, banks and issuers in the sandbox, for the merchant API and the dashboard. */
function composeTesting(
  { db, clock }: ServerDependencies,
  built: Pick<ClockStepDependencies, 'sandbox' | 'payments' | 'disputes'> &
    Pick<TestHelperDependencies, 'checkout' | 'refunds'> &
    ReturnType<typeof composeClockSteps> & {
      readonly randomBytes: RandomBytes;
      readonly reportImports: ImportQueue;
    },
) {
  const { sandbox, checkout, refunds, disputes, settleAccount } = built;
  return {
    helpers: createTestHelpers({
      checkout,
      refunds,
      accounts: { db, clock, randomBytes: built.randomBytes },
      resolveApproval: sandbox.resolveApproval,
      onClockMoved: built.catchUp,
      simulateRefund: (caller, refundId, outcome) => sandbox.refunds.settle(caller, refundId, outcome),
      settleAccount,
    }),
    payOut: payOutFor({ db, clock }, built),
    disputes: {
      disputes,
      payments: built.payments.store,
      simulator: disputeSimulator(sandbox.deps),
      deliver: (accountId: string) => settleAccount(accountId, false),
    },
  };
}

/** Makes the simulator pay out an account's charges, and imports the settlement report. */
const payOutFor =
  (
    { db, clock }: Pick<ServerDependencies, 'db' | 'clock'>,
    {
      sandbox,
      randomBytes,
      reportImports,
    }: Pick<ClockStepDependencies, 'sandbox'> & {
      readonly randomBytes: RandomBytes;
      readonly reportImports: ImportQueue;
    },
  ) =>
  (context: AccountContext, note: ReportToImport['note']) => {
    const { accountId, livemode, processor, now } = context;
    const { database } = sandbox.deps;
    const merchantAccount = merchantAccountOf(accountId, livemode);
    // No later report repeats a payout, so the payout is made only when the import queue runs this import.
    let settled: Awaited<ReturnType<typeof settle>> = null;
    return reportImports.run(context, async () => {
      // The request's own time: this process may not have seen yet that another one moved the account's clock.
      settled ??= await settle({ database, now: () => now }, processor, merchantAccount);
      if (settled === null) return null;
      const { name, content } = settled;
      const connected = simulatorIdentity(merchantAccount);
      const report = { tenant: context, processor, connected, now, name, by: null, note };
      const bytes = Buffer.from(content);
      async function* once() {
        yield bytes;
      }
      return tryImportReport({ db, clock, randomBytes }, { ...report, content: once });
    });
  };

/** Composes the work that follows after a sandbox account's clock was moved. */
function composeClockSteps(
  { db }: ServerDependencies,
  { sandbox, notifications, webhooks, payments, disputes, approvals }: ClockStepDependencies,
) {
  const tenantFor = async (accountId: string, livemode: boolean) => {
    const account = await findAccount(db, accountId);
    if (account === undefined) throw new Error(`there is no account ${accountId}`);
    return tenantOf(account, livemode);
  };
  /** Sends and applies every due notification of the simulated processor for an account. */
  const settleAccount = (accountId: string, livemode: boolean) =>
    settleSandbox({
      sendDue: () => sandbox.sendDueNotifications(merchantAccountOf(accountId, livemode)),
      apply: async () => notifications.job.applyTenant(await tenantFor(accountId, livemode)),
    });
  /** Processes everything of a sandbox account that is due by the new time of its clock. */
  const catchUp = async (accountId: string) => {
    webhooks.wake(accountId);
    const tenant = await tenantFor(accountId, false);
    await expirePayments(payments, tenant);
    await settleAccount(accountId, false);
    await expireDisputes(disputes, tenant);
    await remindDisputes(disputes, tenant);
    await announceGuarantees(payments, tenant);
    await expireApprovals(approvals, tenant);
  };
  return { settleAccount, catchUp };
}
