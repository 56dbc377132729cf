import { dashboardApi } from '@till/contract/dashboard';
import { removePaymentMethod } from '../../payment-methods/remove-payment-method.ts';
import type { DashboardApi } from '../api.ts';
import type { PaymentsSection } from '../payments/dependencies.ts';
import { listCustomerItems, retrieveCustomerDetail } from './customers.ts';

/** The operations on customers, including the removal of a saved payment method. */
export function customersDashboardRoutes(api: DashboardApi, deps: PaymentsSection): void {
  api.mount(dashboardApi.listCustomers, async ({ context, query }) => ({
    status: 200,
    body: await listCustomerItems(deps.reading, context, query),
  }));
  api.mount(dashboardApi.retrieveCustomer, async ({ context, params }) => ({
    status: 200,
    body: await retrieveCustomerDetail(deps.reading, context, params.id ?? ''),
  }));
  api.mount(dashboardApi.removePaymentMethod, async ({ context, params, audit }) => {
    const customer = params.customer ?? '';
    const removed = await removePaymentMethod(deps.payments.methods, context, params.id ?? '', customer);
    await audit({ before: { customer } });
    return { status: 200, body: removed };
  });
}
