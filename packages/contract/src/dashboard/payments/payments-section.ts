import type { DashboardOperation } from '../../api/dashboard-operation.ts';
import { customersApi } from './customers.ts';
import { ledgerApi } from './ledger.ts';
import { paymentLinksApi } from './payment-links.ts';
import { paymentsApi } from './payments.ts';
import { payoutsApi } from './payouts.ts';
import { refundsApi } from './refunds.ts';
import { savedViewsApi } from './saved-views.ts';
import { searchApi } from './search.ts';

export * from './customers.ts';
export * from './ledger.ts';
export * from './payment-alerts.ts';
export * from './payment-detail.ts';
export * from './payment-links.ts';
export * from './payments.ts';
export * from './payouts.ts';
export * from './refunds.ts';
export * from './saved-views.ts';
export * from './search.ts';

/** Payments, refunds, customers, and the saved views of them. */
export const paymentsSectionApi = {
  ...paymentsApi,
  ...refundsApi,
  ...paymentLinksApi,
  ...customersApi,
  ...ledgerApi,
  ...payoutsApi,
  ...savedViewsApi,
  ...searchApi,
} as const satisfies Record<string, DashboardOperation>;
