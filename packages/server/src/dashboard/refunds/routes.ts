import { dashboardApi } from '@till/contract/dashboard';
import type { DashboardApi } from '../api.ts';
import type { PaymentsSection } from '../payments/dependencies.ts';
import { listRefundItems, retrieveRefundDetail } from './refunds.ts';

/** Refunds of all payments. */
export function refundsDashboardRoutes(api: DashboardApi, { reading }: PaymentsSection): void {
  api.mount(dashboardApi.listRefunds, async ({ context, query }) => ({
    status: 200,
    body: await listRefundItems(reading, context, query),
  }));
  api.mount(dashboardApi.retrieveRefund, async ({ context, params }) => ({
    status: 200,
    body: await retrieveRefundDetail(reading, context, params.id ?? ''),
  }));
}
