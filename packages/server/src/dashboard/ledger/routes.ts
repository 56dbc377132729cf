import { dashboardApi } from '@till/contract/dashboard';
import { timeZoneOf } from '../../accounts/accounts.ts';
import type { AccountContext } from '../../accounts/context.ts';
import type { Database } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { exportLedger, retrieveLedger } from './ledger.ts';

/** All movements of money of a month. @param reads what lists and pages are read with */
export function ledgerDashboardRoutes(api: DashboardApi, reads: Database): void {
  const monthOf = async ({ accountId, processor }: AccountContext, month: string) => ({
    month,
    processor,
    timeZone: await timeZoneOf({ db: reads }, accountId),
  });
  api.mount(dashboardApi.retrieveLedger, async ({ context, query }) => ({
    status: 200,
    body: await retrieveLedger(reads, context, await monthOf(context, query.month)),
  }));
  api.mount(dashboardApi.exportLedger, async ({ context, query, audit }) => {
    const file = exportLedger(reads, context, await monthOf(context, query.month));
    await audit({ objectId: null, after: { month: query.month } });
    return { file };
  });
}
