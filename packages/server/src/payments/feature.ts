import { isOver, recordKey } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { Logger } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { logIncident } from '../operations/log-incident.ts';
import type { TenantId } from '../store/tenant.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { PaymentStore } from './store.ts';

/** What the commits of payments and refunds need of webhook delivery. */
export interface Deliveries {
  /** Called with the account whose event was just committed. */
  readonly wake: (accountId: string) => void;
  /** How many deliveries an event of this tenant writes. */
  readonly fanOutOf: (tenant: TenantId) => number;
}

type MadeHere = 'store' | 'keepAnswer' | 'isKeyTaken' | 'onSettled' | 'onIncident';

/** Creates the dependencies of the operations on payments. */
export const createPayments = ({
  log,
  metrics,
  idempotencyStore,
  webhooks,
  ...deps
}: Omit<PaymentDependencies, MadeHere> & {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly idempotencyStore: IdempotencyStore;
  readonly webhooks: Deliveries;
}): PaymentDependencies => ({
  ...deps,
  store: new PaymentStore(deps.db, webhooks.fanOutOf),
  keepAnswer: (context, claim, answer) =>
    idempotencyStore.keepAnswer(recordKey(context, claim), claim, answer),
  isKeyTaken: async (context, claim) => {
    const record = await idempotencyStore.read(recordKey(context, claim));
    return record !== undefined && !isOver(record, context.now);
  },
  onSettled: (payment, { accountId, processor, livemode }, hasDeliveries) => {
    metrics.payments.inc({
      processor,
      mode: livemode ? 'live' : 'test',
      status: payment.status,
      failure_code: payment.failure_code ?? '',
    });
    if (hasDeliveries) webhooks.wake(accountId);
  },
  onIncident: logIncident(log, 'payment'),
});
