import type { Provider } from '@till/contract';
import type { KeyRestriction } from '@till/contract/dashboard';
import { type Suspend, suspendNothing } from '../lib/waiting/suspend.ts';
import type { Tenant } from '../store/tenant.ts';
import { type AccountRow, type Activation, type ThreeDSecureSetting, tenantOf } from './store.ts';

export { type AccountIdentity, tenantOf } from './store.ts';

/** The tenant, the account data and the time of a request. Every statement for the request is restricted to the tenant. */
export interface AccountContext extends Tenant {
  readonly keyId: string;
  /** The restriction of the request's key; null if the key has none, or if the request has no key. */
  readonly restriction: KeyRestriction | null;
  /** For a dashboard user: the amount in minor units above which their role needs an approval. Absent or null: none is needed. */
  readonly roleWaitsAbove?: number | null;
  /** The shop's name that buyers see. */
  readonly accountName: string;
  /** The IANA name of the time zone in which the account's days begin and end. */
  readonly timeZone: string;
  /** Account time: real time, plus the sandbox clock's offset in test mode. */
  readonly now: Date;
  readonly processor: Provider;
  readonly activation: Activation;
  readonly storePaymentMethodDefault: boolean;
  readonly connection: { readonly connected: boolean; readonly threeDSecure: ThreeDSecureSetting };
  /** Releases the request's place while it waits for a processor, another operation, or another request with its key. */
  readonly suspend: Suspend;
}

/**
 * The context of work that no API key requested: sweeps, recovery, a buyer's browser.
 * @param now real time
 * @param suspend of the request for which the work is done, if any
 */
export function backgroundContext(
  account: AccountRow,
  livemode: boolean,
  now: Date,
  suspend: Suspend = suspendNothing,
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
