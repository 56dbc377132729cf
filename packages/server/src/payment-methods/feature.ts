import type { Logger } from '../lib/log/log.ts';
import { logIncident } from '../operations/log-incident.ts';
import type { PaymentMethodDependencies } from './payment-methods.ts';
import { PaymentMethodStore } from './store.ts';

/** Creates the dependencies of the operations on saved methods. */
export const createPaymentMethods = ({
  log,
  ...deps
}: Omit<PaymentMethodDependencies, 'store' | 'onIncident'> & {
  readonly log: Logger;
}): PaymentMethodDependencies => ({
  ...deps,
  store: new PaymentMethodStore(deps.db),
  onIncident: logIncident(log, 'payment_method'),
});
