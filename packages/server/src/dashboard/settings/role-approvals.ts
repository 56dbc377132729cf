import { dashboardApi } from '@till/contract/dashboard';
import { lockAccount } from '../../accounts/accounts.ts';
import { roleApprovals, saveRoleApprovals } from '../../accounts/role-approvals.ts';
import type { DashboardApi } from '../api.ts';
import type { SettingsDependencies } from './dependencies.ts';

/** The operations on the amounts above which roles wait for approval. */
export function roleApprovalsRoutes(api: DashboardApi, { db, clock }: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveRoleApprovals, async ({ staff }) => ({
    status: 200,
    body: await roleApprovals(db, staff.accountId),
  }));
  api.mount(dashboardApi.updateRoleApprovals, async ({ staff: { accountId }, body, audit }) => {
    const after = await db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const before = await roleApprovals(tx, accountId);
      const saved = await saveRoleApprovals(tx, accountId, { ...before, ...body }, clock.now());
      await audit({ objectId: accountId, before, after: saved }, tx);
      return saved;
    });
    return { status: 200, body: after };
  });
}
