import { dashboardApi, type RefundLimits } from '@till/contract/dashboard';
import { lockAccount } from '../../accounts/accounts.ts';
import {
  changedLimits,
  limitsOfRole,
  listRefundLimits,
  saveRefundLimits,
} from '../../accounts/refund-limits.ts';
import type { DashboardApi } from '../api.ts';
import type { SettingsDependencies } from './dependencies.ts';

/** What the audit log records of a role's limits. */
const logged = ({ role, limits, other_currencies }: RefundLimits) => ({
  role,
  limits: Object.fromEntries(limits.map(({ currency, amount }) => [currency, amount])),
  other_currencies,
});

/** The operations on how much each role may refund at once. */
export function refundLimitsRoutes(api: DashboardApi, { db, clock }: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveRefundLimits, async ({ staff }) => ({
    status: 200,
    body: { data: await listRefundLimits(db, staff.accountId) },
  }));
  api.mount(dashboardApi.updateRefundLimits, async ({ staff: { accountId }, body, audit }) => {
    const limits = await db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const before = limitsOfRole(await listRefundLimits(tx, accountId), body.role);
      const after = await saveRefundLimits(tx, accountId, changedLimits(before, body), clock.now());
      await audit({ objectId: accountId, before: logged(before), after: logged(after) }, tx);
      return after;
    });
    return { status: 200, body: limits };
  });
}
