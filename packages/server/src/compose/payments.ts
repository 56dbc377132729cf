import { Payment, Refund } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { checkoutLinks } from '../checkout/visit/links.ts';
import type { CustomerDependencies } from '../customers/customers.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { isOver, recordKey } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log.ts';
import { OperationWaits } from '../lib/operation-waits.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import { OperationStore } from '../operations/store.ts';
import type { PaymentMethodDependencies } from '../payment-methods/payment-methods.ts';
import { forgetInstrument } from '../payment-methods/payment-methods.ts';
import { PaymentMethodStore } from '../payment-methods/store.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import { applyPaymentAlert } from '../payments/notifications/apply-alert.ts';
import { applyPaymentUpdate, type PaymentUpdate } from '../payments/notifications/apply-notification.ts';
import { attachLateToken } from '../payments/notifications/attach-method.ts';
import { PaymentStore } from '../payments/store.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import { applyRefundUpdate } from '../refunds/apply-notification.ts';
import type { RefundDependencies } from '../refunds/dependencies.ts';
import { RefundStore } from '../refunds/store.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import type { Vault } from '../vault/vault.ts';
import { leaseMs, type ServerDependencies } from './dependencies.ts';

interface Built {
  readonly customers: CustomerDependencies;
  readonly vault: Vault;
  readonly connect: PaymentDependencies['connect'];
  readonly idempotencyStore: IdempotencyStore;
  readonly serializers: Serializers;
  readonly randomBytes: RandomBytes;
  readonly publicAddress: () => string;
  readonly mail: MailDependencies;
  readonly webhooks: {
    /** Told of the account whose event was just committed. */
    readonly wake: (accountId: string) => void;
    /** How many deliveries an event of a tenant writes. */
    readonly fanOutOf: (tenant: TenantId) => number;
  };
}

/** Payments, saved methods and refunds with everything that they need. */
export function composePayments(server: ServerDependencies, built: Built) {
  const operations = composeOperations(server);
  const methods = composeMethods(server, operations, built);
  const payments = composeCharges(server, operations, built, methods);
  return { payments, methods, refunds: composeRefunds(server, built, payments) };
}

const onTrouble =
  ({ log }: ServerDependencies, kind: string) =>
  (
    { accountId }: Pick<Tenant, 'accountId'>,
    message: string,
    about: { readonly id: string } | null,
    error?: unknown,
  ) =>
    log.error(message, {
      ...(about === null ? {} : { [kind]: about.id }),
      account: accountId,
      ...(error === undefined ? {} : describeError(error)),
    });

const labels = ({ processor, livemode }: AccountContext) => ({
  processor,
  mode: livemode ? 'live' : 'test',
});

/** What everything shares that asks processors: one store of open operations, and those who wait for one to end. */
function composeOperations({ config, db, clock, instance }: ServerDependencies) {
  return {
    db,
    clock,
    operations: new OperationStore(db, instance.number),
    waits: new OperationWaits(clock),
    lease: () => ({ owner: instance.number, until: new Date(clock.now().getTime() + leaseMs(config)) }),
  };
}
type Operations = ReturnType<typeof composeOperations>;

function composeMethods(
  server: ServerDependencies,
  operations: Operations,
  built: Built,
): PaymentMethodDependencies {
  return {
    ...operations,
    store: new PaymentMethodStore(server.db),
    customers: built.customers,
    vault: built.vault,
    randomBytes: built.randomBytes,
    connect: built.connect,
    onTrouble: onTrouble(server, 'payment_method'),
  };
}

function composeCharges(
  server: ServerDependencies,
  operations: Operations,
  built: Built,
  methods: PaymentMethodDependencies,
): PaymentDependencies {
  const { db, keys, metrics } = server;
  return {
    ...operations,
    store: new PaymentStore(db, built.webhooks.fanOutOf),
    customers: built.customers,
    methods,
    randomBytes: built.randomBytes,
    connect: built.connect,
    alerts: { db, mail: built.mail },
    links: checkoutLinks(keys, built.publicAddress),
    write: built.serializers.for(Payment),
    keepAnswer: (context, claim, answer) =>
      built.idempotencyStore.keepAnswer(recordKey(context, claim), claim, answer),
    isKeyTaken: async (context, claim) => {
      const record = await built.idempotencyStore.read(recordKey(context, claim));
      return record !== undefined && !isOver(record, context.now);
    },
    onSettled: (payment, context, hasDeliveries) => {
      metrics.payments.inc({
        ...labels(context),
        status: payment.status,
        failure_code: payment.failure_code ?? '',
      });
      if (hasDeliveries) built.webhooks.wake(context.accountId);
    },
    onTrouble: onTrouble(server, 'payment'),
  };
}

function composeRefunds(
  server: ServerDependencies,
  built: Built,
  payments: PaymentDependencies,
): RefundDependencies {
  const { db, clock, operations, waits, randomBytes, lease, connect, keepAnswer, isKeyTaken } = payments;
  return {
    db,
    clock,
    operations,
    waits,
    randomBytes,
    lease,
    connect,
    keepAnswer,
    isKeyTaken,
    store: new RefundStore(db, built.webhooks.fanOutOf),
    payments,
    write: built.serializers.for(Refund),
    onSettled: (refund, context) => {
      server.metrics.refunds.inc({ ...labels(context), status: refund.status });
      built.webhooks.wake(context.accountId);
    },
    onTrouble: onTrouble(server, 'refund'),
  };
}

/** Takes what an upstream says to the feature that it is about. @param sender identity of the merchant account */
export async function applyMoneyUpdate(
  { payments, methods, refunds }: ReturnType<typeof composePayments>,
  context: AccountContext,
  effect: Exclude<NotificationEffect, { kind: 'dispute' }>,
  sender: string | null,
): Promise<'applied' | 'later'> {
  const ofPayment = (id: string, update: PaymentUpdate) =>
    applyPaymentUpdate(payments, context, id, update, sender);
  switch (effect.kind) {
    case 'payment_settled': {
      const { outcome, amount, currency } = effect;
      return ofPayment(effect.paymentId, { kind: 'settled', outcome, amount, currency });
    }
    case 'payment_changed':
      return ofPayment(effect.paymentId, { kind: 'changed', upstream: effect.payment });
    case 'payment_cancelled':
      return ofPayment(effect.paymentId, { kind: 'cancelled' });
    case 'payment_not_cancelled':
      return ofPayment(effect.paymentId, { kind: 'not_cancelled' });
    case 'payment_alert':
      return applyPaymentAlert(payments, context, effect, sender);
    case 'instrument_saved':
      return attachLateToken(payments, context, effect, sender);
    case 'instrument_removed':
      await forgetInstrument(methods, context, { token: effect.token, sender, at: context.now });
      return 'applied';
    case 'refund_settled':
      return applyRefundUpdate(refunds, context, effect, sender);
    case 'none':
      return 'applied';
  }
}
