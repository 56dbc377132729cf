import { Customer } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import { findAccount, tenantOf } from '../accounts/store.ts';
import type { CustomerDependencies } from '../customers/customers.ts';
import { CustomerStore } from '../customers/store.ts';
import { expireDisputes } from '../disputes/expire-disputes.ts';
import { remindDisputes } from '../disputes/remind-disputes.ts';
import type { Serializers } from '../http/api/serialize.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { expirePayments } from '../payments/operations/expire.ts';
import { visit } from '../sandbox-helpers/helpers.ts';
import { Vault } from '../vault/vault.ts';
import { composeCheckout } from './checkout.ts';
import type { ServerDependencies } from './dependencies.ts';
import { composeDisputes } from './disputes.ts';
import { composeMail } from './mail.ts';
import { composeNotifications, inProcess } from './notifications.ts';
import { composePayments } from './payments.ts';
import { composePeople } from './people.ts';
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
}

export type Features = ReturnType<typeof composeFeatures>;

/** Every feature with what it needs, in the order in which they need each other. */
export function composeFeatures(server: ServerDependencies, wiring: FeatureWiring) {
  const { db, clock, log, masterKeys } = server;
  const { serializers, randomBytes, publicAddress } = wiring;
  const vault = new Vault({ db, clock, randomBytes, masterKeys });
  const { mail, outbox } = composeMail(server, randomBytes);
  const people = composePeople(server, { randomBytes, mail, publicAddress });
  const webhooks = composeWebhooks(server, { vault, randomBytes, mail });
  const write = serializers.for(Customer);
  const customers: CustomerDependencies = { store: new CustomerStore(db), clock, randomBytes, write };
  const connections = composeUpstreams(server, { vault });
  const sandbox = connectSimulators(server, {
    upstreams: connections.upstreams,
    clocks: wiring.clocks,
    randomBytes,
    publicUrl: publicAddress,
    visit: (url) => visitAsBuyer(url),
    deliver: inProcess(wiring.app),
    onError: (error) => log.error('simulated notifications not sent', describeError(error)),
  });
  const { connect } = sandbox;
  const money = composePayments(server, { ...wiring, customers, vault, connect, mail, webhooks });
  const { payments } = money;
  const disputing = composeDisputes(server, { payments, serializers, mail });
  const { disputes } = disputing;
  const notifications = composeNotifications(server, { connect, money, disputes, vault });
  const checkout = composeCheckout(server, payments);
  const visitAsBuyer = (url: string) =>
    void visit({ checkout }, url).catch((error: unknown) =>
      log.error('virtual buyer failed', describeError(error)),
    );
  const tenantFor = async (accountId: string, livemode: boolean) => {
    const account = await findAccount(db, accountId);
    if (account === undefined) throw new Error(`there is no account ${accountId}`);
    return tenantOf(account, livemode);
  };
  /** Sends and applies every notification of an account that the simulated processor has due. */
  const settleAccount = (accountId: string, livemode: boolean) =>
    settleSandbox({
      sendDue: () => sandbox.sendDueNotifications(merchantAccountOf(accountId, livemode)),
      apply: async () => notifications.job.applyOf(await tenantFor(accountId, livemode)),
    });
  /** Everything of a sandbox account that waits for time is brought to where its clock is now. */
  const catchUp = async (accountId: string) => {
    webhooks.wake(accountId);
    const tenant = await tenantFor(accountId, false);
    await expirePayments(payments, tenant);
    await settleAccount(accountId, false);
    await expireDisputes(disputes, tenant);
    await remindDisputes(disputes, tenant);
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
