import type { Logger } from '../lib/log/log.ts';
import { logTrouble } from '../operations/log-trouble.ts';
import type { PaymentMethodDependencies } from './payment-methods.ts';
import { PaymentMethodStore } from './store.ts';

/** What the operations on saved methods need. */
export const createPaymentMethods = ({
  log,
  ...deps
}: Omit<PaymentMethodDependencies, 'store' | 'onTrouble'> & {
  readonly log: Logger;
}): PaymentMethodDependencies => ({
  ...deps,
  store: new PaymentMethodStore(deps.db),
  onTrouble: logTrouble(log, 'payment_method'),
});
