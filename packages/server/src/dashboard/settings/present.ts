import type { Settings } from '@till/contract/dashboard';
import type { requireAccount } from '../../accounts/accounts.ts';
import { defaultCardFields } from '../../checkout/pages/hosted-fields.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import type { SettingsDependencies } from './dependencies.ts';

export type Account = Awaited<ReturnType<typeof requireAccount>>;

type Connected = ReturnType<SettingsDependencies['connect']>;

/** Whether and how live payments of the account reach its processor. */
function liveState(live: Connected, liveSimulation: boolean): Settings['connection']['live'] {
  if (live === undefined) return 'credentials_missing';
  return liveSimulation ? 'simulated' : 'ready';
}

/** Whether the processor can collect cards in fields of its own on the hosted page. */
export const hasCardFields = ({ processor }: Account): boolean =>
  capabilitiesOf(processor).browserMethods.includes('card_fields');

function cardFieldsOf(account: Account, live: Connected): Settings['connection']['card_fields'] {
  if (!hasCardFields(account)) return null;
  const byDefault = live === undefined ? null : defaultCardFields(account.processor, live.connection.baseUrl);
  return { chosen: account.card_fields, default: byDefault };
}

export function presentSettings(
  { connect, liveSimulation }: SettingsDependencies,
  account: Account,
): Settings {
  const { account_id: accountId, processor } = account;
  const live = connect({ accountId, livemode: true, processor });
  return {
    id: accountId,
    name: account.name,
    processor,
    environment: account.environment,
    activation: account.activation,
    created_at: isoSeconds(account.created_at),
    time_zone: account.time_zone,
    store_payment_method_default: account.store_payment_method_default,
    connection: {
      status: account.connection_status,
      three_d_secure: account.three_d_secure,
      live: liveState(live, liveSimulation),
      card_fields: cardFieldsOf(account, live),
    },
  };
}
