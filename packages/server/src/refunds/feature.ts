import type { Logger } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import { logIncident } from '../operations/log-incident.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { Deliveries } from '../payments/feature.ts';
import type { RefundDependencies } from './dependencies.ts';
import { RefundStore } from './store.ts';

/** Assembles the dependencies of the operations on refunds. */
export function createRefunds({
  log,
  metrics,
  payments,
  webhooks,
  mail,
  write,
}: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly payments: PaymentDependencies;
  readonly webhooks: Deliveries;
  readonly mail: MailDependencies;
  readonly write: RefundDependencies['write'];
}): RefundDependencies {
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
    store: new RefundStore(db, webhooks.fanOutOf),
    payments,
    mail,
    write,
    onSettled: (refund, { accountId, processor, livemode }, hasDeliveries) => {
      metrics.refunds.inc({ processor, mode: livemode ? 'live' : 'test', status: refund.status });
      if (hasDeliveries) webhooks.wake(accountId);
    },
    onIncident: logIncident(log, 'refund'),
  };
}
