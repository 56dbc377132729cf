import { dashboardApi } from '@till/contract/dashboard';
import { requirePayment } from '../../payments/reads.ts';
import { checkActivation } from '../../payments/request/rules.ts';
import type { DashboardApi } from '../api.ts';
import { acknowledgeAlert, captureFromDashboard, refundFromDashboard, voidFromDashboard } from './actions.ts';
import type { PaymentsSection } from './dependencies.ts';
import { exportPayments } from './export-payments.ts';
import { listPayments } from './list-payments.ts';
import { retrievePaymentDetail } from './retrieve-payment.ts';

/** The operations that search payments, show one, and act on it. */
export function paymentsDashboardRoutes(api: DashboardApi, deps: PaymentsSection): void {
  const { payments, reading } = deps;
  api.mount(dashboardApi.listPayments, async ({ context, query }) => ({
    status: 200,
    body: await listPayments(reading.payments, context, query),
  }));
  api.mount(dashboardApi.exportPayments, async ({ context, query, audit }) => {
    const file = exportPayments(reading.payments, context, query);
    await audit({ objectId: null, after: { filters: query } });
    return { file };
  });
  api.mount(dashboardApi.retrievePayment, async ({ context, staff, params }) => ({
    status: 200,
    body: await retrievePaymentDetail(reading, context, staff, params.id ?? ''),
  }));
  api.mount(
    dashboardApi.capturePayment,
    (call) => captureFromDashboard(deps, call),
    ({ context }) => checkActivation(context),
  );
  api.mount(dashboardApi.voidPayment, (call) => voidFromDashboard(deps, call));
  api.mount(dashboardApi.acknowledgePaymentAlert, (call) => acknowledgeAlert(deps, call));
  api.mount(
    dashboardApi.refundPayment,
    (call) => refundFromDashboard(deps, call),
    async ({ context }, params) => void (await requirePayment(payments.store, context, params.id ?? '')),
  );
}
