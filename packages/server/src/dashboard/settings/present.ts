import type { Settings } from '@till/contract/dashboard';
import type { requireAccount } from '../../accounts/accounts.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { SettingsParts } from './parts.ts';

export type Account = Awaited<ReturnType<typeof requireAccount>>;

/** How live payments of the account would reach its processor. */
function liveConnection(
  { connect, liveSimulation }: Pick<SettingsParts, 'connect' | 'liveSimulation'>,
  { account_id: accountId, processor }: Account,
): Settings['connection']['live'] {
  if (connect({ accountId, livemode: true, processor }) === undefined) return 'credentials_missing';
  return liveSimulation ? 'simulated' : 'ready';
}

export const presentSettings = (parts: SettingsParts, account: Account): Settings => ({
  id: account.account_id,
  name: account.name,
  processor: account.processor,
  environment: account.environment,
  activation: account.activation,
  created_at: isoSeconds(account.created_at),
  store_payment_method_default: account.store_payment_method_default,
  connection: {
    status: account.connection_status,
    three_d_secure: account.three_d_secure,
    live: liveConnection(parts, account),
  },
});
