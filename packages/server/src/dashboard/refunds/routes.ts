import { dashboardApi } from '@till/contract/dashboard';
import type { DashboardApi } from '../api.ts';
import type { PaymentsSectionParts } from '../payments/parts.ts';
import { listRefundItems, retrieveRefundDetail } from './refunds.ts';

/** Refunds of all payments. */
export function refundsDashboardRoutes(api: DashboardApi, parts: PaymentsSectionParts): void {
  api.mount(dashboardApi.listRefunds, async ({ context, query }) => ({
    status: 200,
    body: await listRefundItems(parts, context, query),
  }));
  api.mount(dashboardApi.retrieveRefund, async ({ context, params }) => ({
    status: 200,
    body: await retrieveRefundDetail(parts, context, params.id ?? ''),
  }));
}
