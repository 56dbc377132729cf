import { dashboardApi } from '@till/contract/dashboard';
import { acknowledgeFailure } from '../../refunds/failed-refunds.ts';
import { retrieveRefund } from '../../refunds/refunds.ts';
import type { DashboardApi } from '../api.ts';
import type { PaymentsSection } from '../payments/dependencies.ts';
import { exportRefunds } from './export-refunds.ts';
import { listRefundItems, retrieveRefundDetail } from './refunds.ts';

/** The operations on the refunds of all payments. */
export function refundsDashboardRoutes(api: DashboardApi, { reading, refunds }: PaymentsSection): void {
  api.mount(dashboardApi.listRefunds, async ({ context, query }) => ({
    status: 200,
    body: await listRefundItems(reading, context, query),
  }));
  api.mount(dashboardApi.exportRefunds, async ({ context, query, audit }) => {
    const file = exportRefunds(reading.refunds, context, query);
    await audit({ objectId: null, after: { filters: query } });
    return { file };
  });
  api.mount(dashboardApi.retrieveRefund, async ({ context, params }) => ({
    status: 200,
    body: await retrieveRefundDetail(reading, context, params.id ?? ''),
  }));
  api.mount(dashboardApi.acknowledgeFailedRefund, async ({ context, params, staff, audit }) => {
    const refund = await retrieveRefund(refunds, context, params.id ?? '');
    await refunds.db.transaction(async (tx) => {
      const done = { refundId: refund.id, by: staff.email, at: context.now };
      const isNew = await acknowledgeFailure(tx, context, done);
      const after = { payment: refund.payment_id, ...(isNew ? {} : { outcome: 'nothing_changed' }) };
      await audit({ objectId: refund.id, after }, tx);
    });
    return { status: 200, body: { done: true } };
  });
}
