import type { Provider } from '@till/contract';
import type { KeyRestriction } from '@till/contract/dashboard';
import { holdsNoPlace, type Suspend } from '../lib/waiting/suspend.ts';
import type { Tenant } from '../store/tenant.ts';
import { type AccountRow, type Activation, type ThreeDSecureSetting, tenantOf } from './store.ts';

export { type AccountIdentity, tenantOf } from './store.ts';

/** The tenant and the time of a request. Every statement on its data is bound by the tenant. */
export interface AccountContext extends Tenant {
  readonly keyId: string;
  /** What the request's key may do; null: everything, or no key asked for it. */
  readonly restriction: KeyRestriction | null;
  /** Of a person in the dashboard: the amount above which what their role asks for waits, in minor units. Absent or null: nothing does. */
  readonly roleWaitsAbove?: number | null;
  /** The shop's name, as buyers see it. */
  readonly accountName: string;
  /** IANA name of the zone in which the account counts its days. */
  readonly timeZone: string;
  /** Account time: real time, plus the sandbox clock's offset in test mode. */
  readonly now: Date;
  readonly processor: Provider;
  readonly activation: Activation;
  readonly storePaymentMethodDefault: boolean;
  readonly connection: { readonly connected: boolean; readonly threeDSecure: ThreeDSecureSetting };
  /** Runs what the request waits for: a processor, another operation, another request with its key. */
  readonly suspend: Suspend;
}

/**
 * The context of what no API key asked for: sweeps, recovery, a buyer's browser.
 * @param now real time
 * @param suspend of the request that it is done for, if any
 */
export function backgroundContext(
  account: AccountRow,
  livemode: boolean,
  now: Date,
  suspend: Suspend = holdsNoPlace,
): AccountContext {
  return {
    keyId: '',
    restriction: null,
    accountName: account.name,
    timeZone: account.time_zone,
    now: new Date(now.getTime() + (livemode ? 0 : account.clock_offset_ms)),
    processor: account.processor,
    activation: account.activation,
    storePaymentMethodDefault: account.store_payment_method_default,
    connection: {
      connected: account.connection_status === 'connected',
      threeDSecure: account.three_d_secure,
    },
    suspend,
    ...tenantOf(account, livemode),
  };
}
