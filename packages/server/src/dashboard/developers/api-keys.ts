import { ApiError } from '@till/contract';
import { type ApiKey, DashboardError, dashboardApi } from '@till/contract/dashboard';
import { OperatorError } from '../../accounts/accounts.ts';
import {
  type ApiKeyRow,
  createApiKey,
  isEnded,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
} from '../../api-keys/api-keys.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { listOfPage, rowsOfPage } from '../../lib/list.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardApi, Staff } from '../api.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { pageOf } from './pages.ts';
import { showTime } from './times.ts';

function stateOf(row: ApiKeyRow, { livemode }: Staff, now: Date): ApiKey['state'] {
  if (row.revoked_at !== null) return 'revoked';
  if (isEnded(row, now)) return 'expired';
  return row.livemode === livemode ? 'active' : 'other_environment';
}

const present = (row: ApiKeyRow, staff: Staff, now: Date): ApiKey => ({
  id: row.id,
  name: row.name,
  livemode: row.livemode,
  hint: row.hint,
  state: stateOf(row, staff, now),
  created_by: row.created_by,
  created_at: isoSeconds(row.created_at),
  last_used_at: showTime(row.last_used_at),
  revoked_at: showTime(row.revoked_at),
  expires_at: showTime(row.expires_at),
  restriction: row.restriction,
});

/** For the audit log, which records nothing about the restriction of a full key. */
const shownRestriction = ({ restriction }: ApiKeyRow) => (restriction === null ? {} : { restriction });

const unknownKey = () => new ApiError('not_found', 'There is no API key with this id.');

async function requireKey(db: Queryable, { accountId }: Staff, id: string): Promise<ApiKeyRow> {
  const row = (await listApiKeys(db, accountId)).find((key) => key.id === id);
  if (row === undefined) throw unknownKey();
  return row;
}

/** The operations on the account's API keys. Each change is committed together with its audit entry. */
export function apiKeyRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  api.mount(dashboardApi.listApiKeys, async ({ staff, query }) => {
    const place = pageOf(query);
    // An account has a handful of keys, so the page is cut from all of them, newest first.
    const rows = (await listApiKeys(deps.reads, staff.accountId)).reverse();
    return {
      status: 200,
      body: listOfPage(
        rowsOfPage(rows, place).map((row) => present(row, staff, deps.clock.now())),
        rows.length,
        place,
      ),
    };
  });
  api.mount(dashboardApi.createApiKey, async ({ staff, body, audit }) => {
    const options = {
      name: body.name,
      createdBy: staff.userId,
      livemode: staff.livemode,
      restriction: body.restriction,
    };
    return deps.db.transaction(async (tx) => {
      const { id, secretKey } = await createApiKey({ ...deps, db: tx }, staff.accountId, options).catch(
        asDashboardError,
      );
      const row = await requireKey(tx, staff, id);
      await audit({ objectId: id, after: { name: row.name, key: row.hint, ...shownRestriction(row) } }, tx);
      return { status: 201, body: { key: present(row, staff, deps.clock.now()), secret_key: secretKey } };
    });
  });
  api.mount(dashboardApi.rollApiKey, async ({ staff, body, params, audit }) => {
    const { id: oldId = '' } = params;
    const { accountId, userId } = staff;
    return deps.db.transaction(async (tx) => {
      const options = { accountId, expiresInSeconds: body.expires_in, createdBy: userId };
      const { id, secretKey } = await rollApiKey({ ...deps, db: tx }, oldId, options).catch(asDashboardError);
      const [old, made] = [await requireKey(tx, staff, oldId), await requireKey(tx, staff, id)];
      const ends = showTime(old.revoked_at ?? old.expires_at);
      const before = {
        name: old.name,
        key: old.hint,
        last_used_at: showTime(old.last_used_at),
        ...shownRestriction(old),
      };
      await audit({ before, after: { key: made.hint, new_key: id, old_key_ends: ends } }, tx);
      const now = deps.clock.now();
      const shown = { key: present(made, staff, now), old: present(old, staff, now) };
      return { status: 201, body: { ...shown, secret_key: secretKey } };
    });
  });
  api.mount(dashboardApi.revokeApiKey, async ({ staff, params, audit }) => {
    const { id = '' } = params;
    return deps.db.transaction(async (tx) => {
      const before = await requireKey(tx, staff, id);
      await revokeApiKey({ ...deps, db: tx }, id, staff.accountId);
      await audit(
        {
          before: {
            name: before.name,
            key: before.hint,
            last_used_at: showTime(before.last_used_at),
            ...shownRestriction(before),
          },
        },
        tx,
      );
      return { status: 200, body: present(await requireKey(tx, staff, id), staff, deps.clock.now()) };
    });
  });
}

/** Translates errors of API key operations into dashboard errors. */
function asDashboardError(error: unknown): never {
  switch (error instanceof OperatorError ? error.code : null) {
    // A name of spaces only passes the schema.
    case 'invalid_name':
      throw new ApiError('invalid_params', (error as OperatorError).message, { param: 'name' });
    case 'invalid_end':
      throw new ApiError('invalid_params', (error as OperatorError).message, {
        param: 'restriction.ends_at',
      });
    case 'invalid_address':
      throw new ApiError('invalid_params', (error as OperatorError).message, {
        param: 'restriction.addresses',
      });
    case 'too_many_keys':
      throw new ApiError('invalid_params', (error as OperatorError).message);
    case 'key_not_found':
      throw unknownKey();
    case 'environment_changed':
    case 'key_ended':
      throw new DashboardError('conflict', (error as OperatorError).message);
    default:
      throw error;
  }
}
