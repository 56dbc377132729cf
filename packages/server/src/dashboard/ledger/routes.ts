import { dashboardApi } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import type { Database } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { exportLedger, retrieveLedger } from './ledger.ts';

/** The operations on the movements of money of a month. @param reads the database for lists and pages */
export function ledgerDashboardRoutes(api: DashboardApi, reads: Database): void {
  const monthOf = ({ timeZone }: AccountContext, month: string) => ({ month, timeZone });
  api.mount(dashboardApi.retrieveLedger, async ({ context, query }) => ({
    status: 200,
    body: await retrieveLedger(reads, context, monthOf(context, query.month)),
  }));
  api.mount(dashboardApi.exportLedger, async ({ context, query, audit }) => {
    const file = exportLedger(reads, context, {
      ...monthOf(context, query.month),
      accountName: context.accountName,
    });
    await audit({ objectId: null, after: { month: query.month } });
    return { file };
  });
}
