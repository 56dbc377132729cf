import { Approval, Payment, PaymentLink, Refund } from '@till/contract';
import { createApprovals } from '../approvals/feature.ts';
import { checkoutLinks } from '../checkout/visit/links.ts';
import type { CustomerDependencies } from '../customers/customers.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { recordKey } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import { createOperations } from '../operations/feature.ts';
import { createLinks } from '../payment-links/feature.ts';
import { createPaymentMethods } from '../payment-methods/feature.ts';
import { createPayments, type Deliveries } from '../payments/feature.ts';
import type { Connect } from '../processors/port/connected.ts';
import { createRefunds } from '../refunds/feature.ts';
import type { Vault } from '../vault/vault.ts';
import { leaseMs, type ServerDependencies } from './dependencies.ts';

/** Composes payments, saved methods and refunds, which share their operations, and payment links. Tests also use it alone. */
export function composeMoney(
  { config, db, clock, keys, log, metrics, instance }: ServerDependencies,
  built: {
    readonly customers: CustomerDependencies;
    readonly vault: Vault;
    readonly connect: Connect;
    readonly idempotencyStore: IdempotencyStore;
    readonly serializers: Serializers;
    readonly randomBytes: RandomBytes;
    readonly publicAddress: () => string;
    readonly mail: MailDependencies;
    readonly webhooks: Deliveries;
  },
) {
  const { customers, randomBytes, connect, serializers, webhooks } = built;
  const operations = createOperations({ db, clock, instance, leaseMs: leaseMs(config) });
  const asking = { ...operations, randomBytes, connect };
  const methods = createPaymentMethods({ ...asking, customers, vault: built.vault, log });
  const payments = createPayments({
    ...asking,
    customers,
    methods,
    alerts: { db, mail: built.mail },
    links: checkoutLinks(keys, built.publicAddress),
    write: serializers.for(Payment),
    idempotencyStore: built.idempotencyStore,
    webhooks,
    log,
    metrics,
  });
  const refunds = createRefunds({
    payments,
    mail: built.mail,
    write: serializers.for(Refund),
    webhooks,
    log,
    metrics,
  });
  const links = createLinks({
    db,
    clock,
    randomBytes,
    publicAddress: built.publicAddress,
    write: serializers.for(PaymentLink),
    onEvent: webhooks.wake,
  });
  const { idempotencyStore } = built;
  const approvals = createApprovals({
    log,
    refunds,
    links,
    mail: built.mail,
    release: (context, claim) => idempotencyStore.release(recordKey(context, claim), claim),
    write: serializers.for(Approval),
    wake: webhooks.wake,
  });
  return { payments, methods, refunds, links, approvals };
}
