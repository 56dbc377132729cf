import type { Clock } from '../../lib/clock.ts';
import type { DashboardApi } from '../api.ts';
import { customersDashboardRoutes } from '../customers/routes.ts';
import { refundsDashboardRoutes } from '../refunds/routes.ts';
import { savedViewsDashboardRoutes } from '../saved-views/routes.ts';
import type { PaymentsSection } from './parts.ts';
import { paymentsDashboardRoutes } from './routes.ts';

/** Payments, refunds, customers, and the views that people keep of them. @param parts with real time as the clock */
export function paymentsSectionRoutes(
  api: DashboardApi,
  parts: PaymentsSection & { readonly clock: Pick<Clock, 'now'> },
): void {
  paymentsDashboardRoutes(api, parts);
  refundsDashboardRoutes(api, parts);
  customersDashboardRoutes(api, parts);
  savedViewsDashboardRoutes(api, { db: parts.payments.db, clock: parts.clock });
}
