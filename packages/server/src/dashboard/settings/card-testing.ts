import { dashboardApi } from '@till/contract/dashboard';
import { lockAccount } from '../../accounts/accounts.ts';
import { cardTestingLimits, changedCardTesting, saveCardTestingLimits } from '../../card-testing/limits.ts';
import type { DashboardApi } from '../api.ts';
import type { SettingsDependencies } from './dependencies.ts';

/** The operations on how many declines the checkout pages accept. */
export function cardTestingRoutes(api: DashboardApi, { db, clock }: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveCardTestingLimits, async ({ staff }) => ({
    status: 200,
    body: await cardTestingLimits(db, staff.accountId),
  }));
  api.mount(dashboardApi.updateCardTestingLimits, async ({ staff: { accountId }, body, audit }) => {
    const limits = await db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const before = await cardTestingLimits(tx, accountId);
      const changed = changedCardTesting(before, body);
      const after = await saveCardTestingLimits(tx, accountId, changed, clock.now());
      await audit({ objectId: accountId, before, after }, tx);
      return after;
    });
    return { status: 200, body: limits };
  });
}
