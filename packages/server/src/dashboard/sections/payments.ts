import type { Clock } from '../../lib/clock.ts';
import type { ImportQueue } from '../../settlements/import-queue.ts';
import type { DashboardApi } from '../api.ts';
import { customersDashboardRoutes } from '../customers/routes.ts';
import { ledgerDashboardRoutes } from '../ledger/routes.ts';
import type { PaymentsSection } from '../payments/dependencies.ts';
import { paymentsDashboardRoutes } from '../payments/routes.ts';
import { payoutsDashboardRoutes } from '../payouts/routes.ts';
import { refundsDashboardRoutes } from '../refunds/routes.ts';
import { savedViewsDashboardRoutes } from '../saved-views/routes.ts';
import { searchDashboardRoutes } from '../search/routes.ts';

/** Payments, refunds, customers, and the views that people save. @param deps with real time as the clock */
export function paymentsSectionRoutes(
  api: DashboardApi,
  deps: PaymentsSection & { readonly clock: Pick<Clock, 'now'>; readonly reportImports: ImportQueue },
): void {
  paymentsDashboardRoutes(api, deps);
  refundsDashboardRoutes(api, deps);
  customersDashboardRoutes(api, deps);
  ledgerDashboardRoutes(api, deps.reading.payments.db);
  payoutsDashboardRoutes(api, {
    db: deps.payments.db,
    reads: deps.reading.payments.db,
    clock: deps.clock,
    randomBytes: deps.payments.randomBytes,
    connect: deps.payments.connect,
    reportImports: deps.reportImports,
  });
  searchDashboardRoutes(api, deps.reading);
  savedViewsDashboardRoutes(api, { db: deps.payments.db, clock: deps.clock });
}
