import { type ApiError, invalidParam } from '@till/contract';
import {
  type ConcernedKey,
  DashboardError,
  dashboardApi,
  type EnvironmentChange,
} from '@till/contract/dashboard';
import { lockAccount, requireAccount, updateAccount } from '../../accounts/accounts.ts';
import { type ApiKeyRow, isEnded, listApiKeys } from '../../api-keys/api-keys.ts';
import { type Clock, isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { goLiveRefusal } from './go-live.ts';
import { type Account, presentSettings } from './present.ts';

const presentKey = (row: ApiKeyRow): ConcernedKey => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  created_at: isoSeconds(row.created_at),
  last_used_at: row.last_used_at && isoSeconds(row.last_used_at),
});

async function changeOf(
  { db, clock }: { readonly db: Queryable; readonly clock: Clock },
  account: Account,
  refusal: ApiError | null = null,
): Promise<EnvironmentChange> {
  const livemode = account.environment === 'live';
  const now = clock.now();
  const keys = (await listApiKeys(db, account.account_id)).filter((key) => !isEnded(key, now)).reverse();
  return {
    environment: account.environment,
    target: livemode ? 'sandbox' : 'live',
    refusal: refusal && { code: refusal.code, message: refusal.message },
    stopping_keys: keys.filter((key) => key.livemode === livemode).map(presentKey),
    returning_keys: keys.filter((key) => key.livemode !== livemode).map(presentKey),
  };
}

function requireSeen(change: EnvironmentChange, seen: readonly string[]): void {
  const stopping = change.stopping_keys.map(({ id }) => id);
  if (stopping.length === seen.length && stopping.every((id) => seen.includes(id))) return;
  throw new DashboardError('conflict', 'The list of keys has changed meanwhile. Look at it again.');
}

/** The operations that preview a switch between sandbox and live, and make it. */
export function environmentRoutes(api: DashboardApi, deps: SettingsDependencies): void {
  api.mount(dashboardApi.previewEnvironment, async ({ staff, context }) => {
    const account = await requireAccount(deps, staff.accountId);
    const refusal = await goLiveRefusal(deps, { staff, context }, { account, asks: false });
    return { status: 200, body: await changeOf(deps, account, refusal) };
  });
  api.mount(dashboardApi.switchEnvironment, async ({ staff, context, body, audit }) => {
    const seen = await requireAccount(deps, staff.accountId);
    // Calls the processor before the transaction begins, so that the transaction does not wait for it.
    const refusal = await goLiveRefusal(deps, { staff, context }, { account: seen, asks: true });
    return deps.db.transaction(async (tx) => {
      const { accountId } = staff;
      await lockAccount(tx, accountId);
      const account = await requireAccount({ ...deps, db: tx }, accountId);
      if (account.environment === body.environment) {
        throw new DashboardError(
          'conflict',
          `The account is in the ${body.environment} environment already.`,
        );
      }
      if (refusal !== null) throw refusal;
      // Checked again, because the operator or a colleague may have changed something since the processor was called.
      const now = { account, asks: false };
      const present = await goLiveRefusal({ ...deps, db: tx }, { staff, context }, now);
      if (present !== null) throw present;
      if (body.name.trim() !== account.name) {
        throw invalidParam('name', 'Type the name of the account exactly as it is written.');
      }
      const change = await changeOf({ ...deps, db: tx }, account);
      requireSeen(change, body.keys);
      const { environment } = body;
      const changed = await updateAccount({ ...deps, db: tx }, accountId, { environment });
      const stopped = change.stopping_keys.map(({ id, hint }) => `${id} ${hint}`);
      await audit(
        {
          objectId: accountId,
          before: { environment: account.environment },
          after: { environment, keys_stopped: stopped },
        },
        tx,
      );
      return { status: 200, body: presentSettings(deps, changed) };
    });
  });
}
