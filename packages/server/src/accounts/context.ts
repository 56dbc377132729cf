import type { Provider } from '@till/contract';

export type Environment = 'sandbox' | 'live';
export type Activation = 'not_activated' | 'active' | 'suspended' | 'restricted' | 'closed';
export type ThreeDSecureSetting = 'off' | 'enabled' | 'always';

/** The account, mode and time that a request acts in. Every statement on tenant data is bound by the first two. */
export interface AccountContext {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly keyId: string;
  /** Account time: real time, plus the sandbox clock's offset in test mode. */
  readonly now: Date;
  readonly processor: Provider;
  readonly activation: Activation;
  readonly storePaymentMethodDefault: boolean;
  readonly connection: { readonly connected: boolean; readonly threeDSecure: ThreeDSecureSetting };
}
