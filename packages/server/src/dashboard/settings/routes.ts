import { invalidParam } from '@till/contract';
import { dashboardApi } from '@till/contract/dashboard';
import { lockAccount, requireAccount, updateAccount } from '../../accounts/accounts.ts';
import type { DashboardApi } from '../api.ts';
import type { DashboardAnswer } from '../call.ts';
import { brandingRoutes } from './branding.ts';
import { environmentRoutes } from './environment.ts';
import type { ChangingCall, SettingsParts } from './parts.ts';
import { type Account, hasCardFields, presentSettings } from './present.ts';
import { refundLimitsRoutes } from './refund-limits.ts';

type Changes = Parameters<typeof updateAccount>[2];

/** The fields that a change names, as the account has them. */
const named = (account: Account, changes: Changes): object =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([field]) => [field, account[field as keyof Account]]),
  );

/** Changes an account and writes what was there before, in one commit. */
function change(parts: SettingsParts, call: ChangingCall, changes: Changes): Promise<DashboardAnswer> {
  const { accountId } = call.staff;
  return parts.db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await requireAccount({ ...parts, db: tx }, accountId);
    if (changes.card_fields !== undefined && !hasCardFields(before)) {
      throw invalidParam('card_fields', 'card_fields cannot be chosen: the processor has no card fields.');
    }
    const after = await updateAccount({ ...parts, db: tx }, accountId, changes);
    await call.audit(
      { objectId: accountId, before: named(before, changes), after: named(after, changes) },
      tx,
    );
    return { status: 200, body: presentSettings(parts, after) };
  });
}

/** What an account is set to. */
export function settingsDashboardRoutes(api: DashboardApi, parts: SettingsParts): void {
  api.mount(dashboardApi.retrieveSettings, async ({ staff }) => ({
    status: 200,
    body: presentSettings(parts, await requireAccount(parts, staff.accountId)),
  }));
  api.mount(dashboardApi.updateBusiness, (call) => change(parts, call, { name: call.body.name.trim() }));
  api.mount(dashboardApi.updatePaymentSettings, (call) => change(parts, call, call.body));
  api.mount(dashboardApi.updateConnection, (call) =>
    change(parts, call, {
      connection_status: call.body.status,
      three_d_secure: call.body.three_d_secure,
      card_fields: call.body.card_fields,
    }),
  );
  environmentRoutes(api, parts);
  brandingRoutes(api, parts);
  refundLimitsRoutes(api, parts);
}
