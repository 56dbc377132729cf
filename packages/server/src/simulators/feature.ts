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

/** What the bank behind a simulated processor does with a refund; the notification then comes as from a live one. */
export interface RefundSimulator {
  /** @returns false where the processor has no refund of this name that waits for it */
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

/** Where a simulator would be, if it were not in this process. */
const originOf = (processor: Provider) => `https://${processor.replace('_', '-')}.sandbox.invalid`;

/** Exchanges with simulated processors, and what these need of a server. */
export interface SimulatorsDependencies extends ExchangeDependencies {
  readonly db: Database;
  readonly keys: DerivedKeys;
  /** Simulators stand in for live processors. */
  readonly liveSimulation: boolean;
  /** Stands before the usual way out; tests of crashes break it. */
  readonly toProcessor: (processor: Provider, usual: Transport) => Transport;
  /** The processors themselves, for accounts with credentials of their own; absent: simulators only. */
  readonly upstreams?: Upstreams | undefined;
  readonly clocks: AccountClocks;
  readonly randomBytes: RandomBytes;
  readonly publicUrl: () => string;
  readonly visit: (url: string) => void;
  /** Takes the simulators' notifications to our own address for them. */
  readonly deliver: NotificationRoute['send'];
  /** Notifications could not be sent; they stay planned. */
  readonly onError: (error: unknown) => void;
}

const batch: Batch = (run, keyOf) => {
  const batcher = new Batcher(run, { keyOf });
  return (row) => batcher.submit(row);
};

/**
 * What signs a merchant account's notifications: both sides derive it, so that nothing has to be kept. Derived once per
 * merchant account, since each notification asks for it on both sides.
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

/** Where the simulators send a merchant account's notifications to, as an operator would enter it upstream. */
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

/** A processor's adapter, over a transport to its simulator in this process. */
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
      transport: deps.toProcessor(processor, usual),
      sharesOrigin: false,
    }),
  );
  return { port, ...declared.simulator.hosts(originOf(processor)) };
}

/** What was made for each processor that has a simulator. */
const forSimulated = <Made>(make: (simulator: Simulator, processor: Provider) => Made) =>
  Object.fromEntries(
    providers.flatMap((processor) => {
      const simulator = simulators[processor];
      return simulator === undefined ? [] : [[processor, make(simulator, processor)]];
    }),
  ) as Partial<Record<Provider, Made>>;

/** Lets the poller know of whatever a simulator was asked to do: it may have planned notifications. */
async function waking<Out>(poller: NotificationPoller, work: () => Promise<Out>): Promise<Out> {
  try {
    return await work();
  } finally {
    poller.wake();
  }
}

/** The adapters with the simulators behind them, in this process, over the same bytes as a network would carry. */
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
    /** Whether a page of a simulator is about something in this database. */
    hasPage: (url: string) => pages.has(url),
    resolveApproval: async (payment: PaymentRow, outcome: ApprovalOutcome): Promise<string | null> => {
      // The simulators' pages end in the id of what waits there; an order without a page is known by its own id.
      const id = payment.upstream.order ?? payment.redirect_url?.split('/').at(-1) ?? '';
      const resolved = await waking(poller, () => resolveApproval(deps, id, outcome));
      return resolved?.returnUrl ?? null;
    },
    refunds: refundSimulator(deps),
    /** For others that play a part at the simulated processors. */
    deps,
    /** Sends the notifications that are due. @returns how many were accepted */
    sendDueNotifications: (merchantAccount?: string) => sender.sendDue(merchantAccount),
    poller,
  };
}

const maxRounds = 50;

/**
 * Sends what is due of an account and applies what came of it, again and again until nothing moves: a caller that moved the
 * account's clock then sees everything that follows from it.
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
