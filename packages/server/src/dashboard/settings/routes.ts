import { invalidParam } from '@till/contract';
import { dashboardApi } from '@till/contract/dashboard';
import { lockAccount, requireAccount, updateAccount } from '../../accounts/accounts.ts';
import { isTimeZone } from '../../lib/time-zone.ts';
import type { DashboardApi } from '../api.ts';
import type { DashboardAnswer } from '../call.ts';
import { brandingRoutes } from './branding.ts';
import { cardTestingRoutes } from './card-testing.ts';
import type { ChangingCall, SettingsDependencies } from './dependencies.ts';
import { environmentRoutes } from './environment.ts';
import { goLiveRoutes } from './go-live.ts';
import { type Account, hasCardFields, presentSettings } from './present.ts';
import { refundLimitsRoutes } from './refund-limits.ts';
import { roleApprovalsRoutes } from './role-approvals.ts';

type Changes = Parameters<typeof updateAccount>[2];

/** The current values of the fields that a change names. */
const named = (account: Account, changes: Changes): object =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([field]) => [field, account[field as keyof Account]]),
  );

/** Changes an account and writes the audit entry with the previous values, in one commit. */
function change(deps: SettingsDependencies, call: ChangingCall, changes: Changes): Promise<DashboardAnswer> {
  const { accountId } = call.staff;
  return deps.db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await requireAccount({ ...deps, db: tx }, accountId);
    if (changes.card_fields !== undefined && !hasCardFields(before)) {
      throw invalidParam('card_fields', 'card_fields cannot be chosen: the processor has no card fields.');
    }
    const after = await updateAccount({ ...deps, db: tx }, accountId, changes);
    await call.audit(
      { objectId: accountId, before: named(before, changes), after: named(after, changes) },
      tx,
    );
    return { status: 200, body: presentSettings(deps, after) };
  });
}

/** The operations on an account's settings. */
export function settingsDashboardRoutes(api: DashboardApi, deps: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveSettings, async ({ staff }) => ({
    status: 200,
    body: presentSettings(deps, await requireAccount(deps, staff.accountId)),
  }));
  api.mount(dashboardApi.updateBusiness, (call) => {
    const { name, time_zone: zone } = call.body;
    if (zone !== undefined && !isTimeZone(zone)) {
      throw invalidParam('time_zone', 'time_zone must be the name of a zone, such as Europe/Berlin or UTC.');
    }
    return change(deps, call, { name: name?.trim(), time_zone: zone });
  });
  api.mount(dashboardApi.updatePaymentSettings, (call) => change(deps, call, call.body));
  api.mount(dashboardApi.updateConnection, (call) =>
    change(deps, call, {
      connection_status: call.body.status,
      three_d_secure: call.body.three_d_secure,
      card_fields: call.body.card_fields,
    }),
  );
  environmentRoutes(api, deps);
  goLiveRoutes(api, deps);
  brandingRoutes(api, deps);
  refundLimitsRoutes(api, deps);
  cardTestingRoutes(api, deps);
  roleApprovalsRoutes(api, deps);
}
