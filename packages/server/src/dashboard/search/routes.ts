import { dashboardApi } from '@till/contract/dashboard';
import type { DashboardApi } from '../api.ts';
import type { PaymentsSectionDependencies } from '../payments/dependencies.ts';
import { search } from './search.ts';

/** The search of the dashboard. @param reading the features with the database for lists and pages */
export function searchDashboardRoutes(api: DashboardApi, reading: PaymentsSectionDependencies): void {
  api.mount(dashboardApi.search, async ({ context, query }) => ({
    status: 200,
    body: query.q.trim() === '' ? nothing : await search(reading, context, query.q),
  }));
}

const nothing = { payments: [], customers: [], disputes: [] };
