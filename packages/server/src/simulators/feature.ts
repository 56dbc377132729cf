import { type ApprovalOutcome, type Provider, providers } from '@till/contract';
import {
  type Batch,
  createNotificationSender,
  createSandboxPages,
  type NotificationRoute,
  type NotificationSecrets,
  resolveApproval,
  type SandboxDependencies,
  type Simulator,
  simulators,
} from '@till/sandbox';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { type DerivedKeys, sha256 } from '../lib/keys.ts';
import { merchantAccountOf, readMerchantAccount } from '../lib/merchant-account.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { createConnect, type Simulated, type Upstreams } from '../processors/connect.ts';
import { notificationPath } from '../processors/port/notifications.ts';
import { processors } from '../processors/registry.ts';
import {
  adapterDependencies,
  type ExchangeDependencies,
} from '../processors/upstream/adapter-dependencies.ts';
import { type SimulatorHandler, simulatorTransport } from '../processors/wire/simulator-transport.ts';
import type { Transport } from '../processors/wire/transport.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { sandboxDatabase } from './database.ts';
import { createNotificationPoller, type NotificationPoller } from './notification-poller.ts';

/**
 * Decides a refund in place of the bank behind a simulated processor. The notification then arrives as from a live processor.
 */
export interface RefundSimulator {
  /** @returns false if the processor has no pending refund with this id */
  settle(
    tenant: { readonly accountId: string; readonly livemode: boolean; readonly processor: Provider },
    refundId: string,
    outcome: 'succeeded' | 'failed',
  ): Promise<boolean>;
}

function refundSimulator(deps: Pick<SandboxDependencies, 'database' | 'now'>): RefundSimulator {
  return {
    async settle({ accountId, livemode, processor }, refundId, outcome) {
      const merchantAccount = merchantAccountOf(accountId, livemode);
      const settled = await simulators[processor]?.settleRefund(deps, merchantAccount, refundId, outcome);
      return settled === true;
    },
  };
}

/** A made-up origin for a simulator, which runs in this process. */
const originOf = (processor: Provider) => `https://${processor.replace('_', '-')}.sandbox.invalid`;

/** What the simulators need from the server. */
export interface SimulatorsDependencies extends ExchangeDependencies {
  readonly db: Database;
  readonly keys: DerivedKeys;
  /** Simulators stand in for live processors. */
  readonly liveSimulation: boolean;
  /** Wraps the usual transport; crash tests use it to inject faults. */
  readonly wrapProcessorTransport: (processor: Provider, usual: Transport) => Transport;
  /** The real processors, for accounts with credentials of their own; absent: simulators only. */
  readonly upstreams?: Upstreams | undefined;
  readonly clocks: AccountClocks;
  readonly randomBytes: RandomBytes;
  readonly publicUrl: () => string;
  readonly visit: (url: string) => void;
  /** Delivers the simulators' notifications to our own URL for them. */
  readonly deliver: NotificationRoute['send'];
  /** Called when notifications could not be sent; they stay scheduled. */
  readonly onError: (error: unknown) => void;
}

const batch: Batch = (run, keyOf) => {
  const batcher = new Batcher(run, { keyOf });
  return (row) => batcher.submit(row);
};

/**
 * Secrets that sign a merchant account's notifications. Both sides derive them, so that nothing has to be stored. They are
 * derived once per merchant account, because both sides need them for each notification.
 */
export function sandboxSecrets(keys: DerivedKeys): (merchantAccount: string) => NotificationSecrets {
  const derived = new Map<string, NotificationSecrets>();
  return (merchantAccount) => {
    const known = derived.get(merchantAccount);
    if (known !== undefined) return known;
    const secret = (purpose: string) =>
      sha256(keys.token(`sandbox ${purpose} ${merchantAccount}`)).toString('hex');
    const secrets = {
      hmacKey: secret('hmac'),
      user: 'till',
      password: secret('notification password'),
      webhookId: secret('webhook').slice(0, 17).toUpperCase(),
    };
    derived.set(merchantAccount, secrets);
    return secrets;
  };
}

/**
 * URL to which the simulators send a merchant account's notifications, as an operator would configure it at a real processor.
 */
function notificationRoute(
  secrets: NotificationRoute['secrets'],
  { publicUrl, deliver }: SimulatorsDependencies,
): NotificationRoute {
  return {
    url: (processor, merchantAccount) => {
      const { accountId } = readMerchantAccount(merchantAccount);
      return `${publicUrl()}${notificationPath(processor, accountId)}`;
    },
    secrets,
    send: deliver,
  };
}

/** Creates a processor's adapter, with a transport to its simulator in this process. */
function simulatedProcessor(
  deps: SimulatorsDependencies,
  processor: Provider,
  handle: SimulatorHandler,
): Simulated {
  const usual = simulatorTransport(handle, { timeoutMs: deps.timeoutMs });
  const declared = processors[processor];
  const port = declared.createAdapter(
    adapterDependencies(deps, {
      processor,
      transport: deps.wrapProcessorTransport(processor, usual),
      sharesOrigin: false,
    }),
  );
  return { port, ...declared.simulator.hosts(originOf(processor)) };
}

/** Builds a record with one value for each processor that has a simulator. */
const forSimulated = <Made>(make: (simulator: Simulator, processor: Provider) => Made) =>
  Object.fromEntries(
    providers.flatMap((processor) => {
      const simulator = simulators[processor];
      return simulator === undefined ? [] : [[processor, make(simulator, processor)]];
    }),
  ) as Partial<Record<Provider, Made>>;

/** Wakes the poller after every request to a simulator, because the request may have scheduled notifications. */
async function waking<Out>(poller: NotificationPoller, work: () => Promise<Out>): Promise<Out> {
  try {
    return await work();
  } finally {
    poller.wake();
  }
}

/** Creates the adapters and the simulators behind them in this process. They exchange the same bytes as over a network. */
export function createSimulators(server: SimulatorsDependencies) {
  const { db, clock, keys, clocks } = server;
  const secrets = sandboxSecrets(keys);
  const deps: SandboxDependencies = {
    database: sandboxDatabase(db),
    now: (merchantAccount) => clocks.now(merchantAccount),
    randomBytes: server.randomBytes,
    delay: clock.delay,
    publicUrl: server.publicUrl,
    visit: server.visit,
    batch,
    sharesLog: true,
    notifications: notificationRoute(secrets, server),
  };
  const sender = createNotificationSender(
    { ...deps, now: (merchantAccount) => clocks.nowAnew(merchantAccount) },
    forSimulated((simulator) => simulator.createSigner(deps)),
  );
  const poller = createNotificationPoller(clock, sender, server.onError);
  const pages = createSandboxPages(deps);
  return {
    connect: createConnect({
      upstreams: server.upstreams,
      simulated: forSimulated((simulator, processor) => {
        const wire = simulator.create(deps);
        const handle: SimulatorHandler = (request, signal) =>
          waking(poller, () => wire.handle(request, signal));
        return simulatedProcessor(server, processor, handle);
      }),
      secrets,
      liveSimulation: server.liveSimulation,
    }),
    pages: (request: Parameters<typeof pages.handle>[0]) => waking(poller, () => pages.handle(request)),
    /** Whether a simulator's page belongs to an object in this database. */
    hasPage: (url: string) => pages.has(url),
    resolveApproval: async (payment: PaymentRow, outcome: ApprovalOutcome): Promise<string | null> => {
      // The path of a simulator's page ends with the id of the waiting object. An order without a page is identified by its own
      // id.
      const id = payment.upstream.order ?? payment.redirect_url?.split('/').at(-1) ?? '';
      const resolved = await waking(poller, () => resolveApproval(deps, id, outcome));
      return resolved?.returnUrl ?? null;
    },
    refunds: refundSimulator(deps),
    /** For other code that simulates a party at the simulated processors. */
    deps,
    /** Sends the due notifications. @returns how many were accepted */
    sendDueNotifications: (merchantAccount?: string) => sender.sendDue(merchantAccount),
    poller,
  };
}

const maxRounds = 50;

/**
 * Sends an account's due notifications and applies their effects, repeatedly until nothing changes. A caller that moved the
 * account's clock then sees all consequences.
 */
export async function settleSandbox(steps: {
  readonly sendDue: () => Promise<number>;
  readonly apply: () => Promise<number>;
}): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const moved = (await steps.sendDue()) + (await steps.apply());
    if (moved === 0) return;
  }
}
