import { Customer } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { CustomerParts } from '../customers/customers.ts';
import { CustomerStore } from '../customers/store.ts';
import { expireDisputes } from '../disputes/expire-disputes.ts';
import { remindDisputes } from '../disputes/remind-disputes.ts';
import type { Serializers } from '../http/serialize.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { expirePayments } from '../payments/expire-payments.ts';
import { visit } from '../sandbox-helpers/helpers.ts';
import { Vault } from '../vault/vault.ts';
import { composeCheckout } from './checkout.ts';
import { composePeople } from './dashboard.ts';
import { composeDisputes } from './disputes.ts';
import { composeMail } from './mail.ts';
import { composeNotifications, inProcess } from './notifications.ts';
import type { ServerParts } from './parts.ts';
import { composePayments } from './payments.ts';
import { connectSimulators, settleSandbox } from './sandbox.ts';
import { composeUpstreams } from './upstreams.ts';
import { composeWebhooks } from './webhooks.ts';

export interface FeatureWiring {
  readonly app: FastifyInstance;
  readonly clocks: AccountClocks;
  readonly idempotencyStore: IdempotencyStore;
  readonly serializers: Serializers;
  readonly randomBytes: RandomBytes;
  readonly publicAddress: () => string;
  /** Runs an exchange with a processor: meanwhile the request that waits for it takes no place from others. */
  readonly aside?: <T>(exchange: () => Promise<T>) => Promise<T>;
}

export type Features = ReturnType<typeof composeFeatures>;

const atOnce: NonNullable<FeatureWiring['aside']> = (exchange) => exchange();

/** Who waits for another operation of a payment to end is not worked on either. */
const waitingAside = (clock: Clock, aside: NonNullable<FeatureWiring['aside']>): Clock => ({
  ...clock,
  delay: (ms, signal) => aside(() => clock.delay(ms, signal)),
});

const sandboxOf = (accountId: string) => ({ accountId, livemode: false });

/** Every feature with what it needs, in the order in which they need each other. */
export function composeFeatures(server: ServerParts, wiring: FeatureWiring) {
  const { db, clock, log, masterKeys } = server;
  const { serializers, randomBytes, publicAddress } = wiring;
  const vault = new Vault({ db, clock, randomBytes, masterKeys });
  const { mail, outbox } = composeMail(server, randomBytes);
  const aside = wiring.aside ?? atOnce;
  const people = composePeople(server, { randomBytes, mail, publicAddress, aside });
  const webhooks = composeWebhooks(server, { vault, randomBytes, mail });
  const write = serializers.for(Customer);
  const customers: CustomerParts = { store: new CustomerStore(db), clock, randomBytes, write };
  const connections = composeUpstreams(server, { vault, aside });
  const sandbox = connectSimulators(server, {
    upstreams: connections.upstreams,
    clocks: wiring.clocks,
    randomBytes,
    publicUrl: publicAddress,
    aside,
    visit: (url) => visitAsBuyer(url),
    deliver: inProcess(wiring.app),
    onError: (error) => log.error('simulated notifications not sent', describeError(error)),
  });
  const waiting: ServerParts = { ...server, clock: waitingAside(clock, aside) };
  const { connect } = sandbox;
  const money = composePayments(waiting, { ...wiring, customers, vault, connect, mail, webhooks });
  const { payments } = money;
  const disputing = composeDisputes(waiting, { payments, serializers, mail, aside });
  const { disputes } = disputing;
  const notifications = composeNotifications(server, { connect, money, disputes, vault });
  const checkout = composeCheckout(server, payments);
  const visitAsBuyer = (url: string) =>
    void visit({ checkout }, url).catch((error: unknown) =>
      log.error('virtual buyer failed', describeError(error)),
    );
  /** Everything that the simulated processor has to tell of an account by now is told and applied. */
  const settleAccount = (accountId: string, livemode: boolean) =>
    settleSandbox({
      sendDue: () => sandbox.sendDueNotifications(merchantAccountOf(accountId, livemode)),
      apply: () => notifications.job.applyOf({ accountId, livemode }),
    });
  /** Everything of a sandbox account that waits for time is brought to where its clock is now. */
  const catchUp = async (accountId: string) => {
    webhooks.wake(accountId);
    await expirePayments(payments, sandboxOf(accountId));
    await settleAccount(accountId, false);
    await expireDisputes(disputes, sandboxOf(accountId));
    await remindDisputes(disputes, sandboxOf(accountId));
  };
  return {
    ...money,
    ...disputing,
    vault,
    connections,
    people,
    outbox,
    webhooks,
    customers,
    sandbox,
    notifications,
    checkout,
    settleAccount,
    catchUp,
  };
}
