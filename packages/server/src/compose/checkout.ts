import { CheckoutAssets } from '../checkout/pages/assets.ts';
import type { CheckoutPageDependencies } from '../checkout/routes.ts';
import { CheckoutStore } from '../checkout/visit/store.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { ServerDependencies } from './dependencies.ts';

/** The hosted page with its files. @throws Error where these have not been built */
export const composeCheckout = (
  { config, db, log }: ServerDependencies,
  payments: PaymentDependencies,
): CheckoutPageDependencies => ({
  payments,
  tokens: new CheckoutStore(db),
  assets: new CheckoutAssets(),
  liveSimulation: config.liveSimulation,
  onReport: (directive, blocked) =>
    log.warn('a browser refused something on a checkout page', { code: directive, address: blocked }),
});
